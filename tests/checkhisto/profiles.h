/* The limits of some GPUs, for tests of the launch plan on devices that are not there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CHECKHISTO_PROFILES_H
#define CHECKHISTO_PROFILES_H

#include "checkhisto.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *name;
  HistoCudaLimits limits;
} CheckProfile;

#define CHECK_N_PROFILES 8
extern const CheckProfile check_profiles[CHECK_N_PROFILES];

G_END_DECLS

#endif /* CHECKHISTO_PROFILES_H */
