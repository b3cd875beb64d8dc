#ifndef OVATION_CQRENCODE_SHIM_H
#define OVATION_CQRENCODE_SHIM_H
#include <qrencode.h>
#endif
