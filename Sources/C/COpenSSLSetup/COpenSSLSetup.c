#include "COpenSSLSetup.h"

#include <openssl/crypto.h>

// By default, OpenSSL frees its tables when the process exits (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT). Threads still run
// then: a media path or a worker in the middle of a handshake would read freed memory, and a program that did its work would end
// with a crash. The system takes the memory back anyway. The option only counts in the first call of all.
__attribute__((constructor)) static void keep_tables_at_exit(void) {
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
