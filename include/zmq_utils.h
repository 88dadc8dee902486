/* SPDX-License-Identifier: MPL-2.0 */
/* Once the home of the stopwatch, thread and Z85 helpers, which <zmq.h> declares today. For programs that
 * still include it. */
#ifndef __ZMQ_UTILS_H_INCLUDED__
#define __ZMQ_UTILS_H_INCLUDED__

#include "zmq.h"

#endif /* __ZMQ_UTILS_H_INCLUDED__ */
