// libsrtp2, used by the SRTP tests only, as an implementation that is not ours.

#ifndef OVATION_CSRTP2_SHIM_H
#define OVATION_CSRTP2_SHIM_H

#include <srtp2/srtp.h>

#endif
