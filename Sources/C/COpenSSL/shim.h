// OpenSSL for Swift: the headers, plus a function for each function-like macro that we need, since Swift cannot
// import those. Only Digests, SRTP and DTLS import this module, and only with `internal import`: it must never meet a
// BoringSSL module in one Swift module (conflicting struct definitions).

#ifndef OVATION_COPENSSL_SHIM_H
#define OVATION_COPENSSL_SHIM_H

// SHA1_* (see below) is deprecated but is the only hash interface that does not allocate per message.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <sys/time.h>

// MARK: Context and session settings

static inline uint64_t shim_SSL_OP_NO_QUERY_MTU(void) { return SSL_OP_NO_QUERY_MTU; }
static inline uint64_t shim_SSL_OP_NO_TICKET(void) { return SSL_OP_NO_TICKET; }
static inline uint64_t shim_SSL_OP_NO_RENEGOTIATION(void) { return SSL_OP_NO_RENEGOTIATION; }
static inline uint64_t shim_SSL_OP_NO_COMPRESSION(void) { return SSL_OP_NO_COMPRESSION; }
static inline uint64_t shim_SSL_OP_CIPHER_SERVER_PREFERENCE(void) { return SSL_OP_CIPHER_SERVER_PREFERENCE; }
static inline uint64_t shim_SSL_OP_COOKIE_EXCHANGE(void) { return SSL_OP_COOKIE_EXCHANGE; }

static inline int shim_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int shim_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline void shim_SSL_CTX_set_read_ahead(SSL_CTX *context, int on) { SSL_CTX_set_read_ahead(context, on); }
static inline long shim_SSL_CTX_set_mode(SSL_CTX *context, long mode) { return SSL_CTX_set_mode(context, mode); }
static inline long shim_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int shim_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}
static inline int shim_SSL_CTX_set1_sigalgs_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_sigalgs_list(context, list);
}
static inline long shim_SSL_set_mtu(SSL *ssl, long mtu) { return SSL_set_mtu(ssl, mtu); }
static inline long shim_DTLS_set_link_mtu(SSL *ssl, long mtu) { return DTLS_set_link_mtu(ssl, mtu); }
static inline long shim_SSL_set_mode(SSL *ssl, long mode) { return SSL_set_mode(ssl, mode); }
static inline int shim_SSL_set_app_data(SSL *ssl, void *data) { return SSL_set_app_data(ssl, data); }
static inline void *shim_SSL_get_app_data(const SSL *ssl) { return SSL_get_app_data(ssl); }

// MARK: The DTLS retransmission timer

/// 1 and the time left if a timer runs, else 0.
static inline long shim_DTLSv1_get_timeout(SSL *ssl, struct timeval *left) { return DTLSv1_get_timeout(ssl, left); }
/// 1 if a flight was repeated, 0 if no timer had run out, negative on error.
static inline long shim_DTLSv1_handle_timeout(SSL *ssl) { return DTLSv1_handle_timeout(ssl); }

// MARK: Memory and custom BIOs

static inline long shim_BIO_set_mem_eof_return(BIO *bio, int value) { return BIO_set_mem_eof_return(bio, value); }
static inline long shim_BIO_get_mem_data(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }
static inline int shim_BIO_reset(BIO *bio) { return (int)BIO_reset(bio); }
static inline void shim_BIO_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void shim_BIO_set_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline void shim_BIO_clear_retry_flags(BIO *bio) { BIO_clear_retry_flags(bio); }

// MARK: Keys and certificates

/// A new key on a named curve ("P-256"); NULL on failure. The original is variadic.
static inline EVP_PKEY *shim_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }
static inline int shim_MBSTRING_ASC(void) { return MBSTRING_ASC; }

// MARK: Error queue

static inline int shim_ERR_GET_REASON(unsigned long code) { return ERR_GET_REASON(code); }

// MARK: SHA-1 state as a plain value

// An HMAC key is two SHA-1 states (the key xored with the inner and outer pad). EVP_MAC and EVP_MD_CTX_copy_ex
// duplicate their state on the heap for each message; SHA_CTX is copied by assignment.

#endif
