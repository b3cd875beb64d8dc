// Sets up OpenSSL before anything uses it; there is nothing to call (see COpenSSLSetup.c).

#ifndef OVATION_COPENSSLSETUP_H
#define OVATION_COPENSSLSETUP_H

#endif
