/* For programs that have a dlsym() of their own; see lookup.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE             /* dlvsym () */

#include "lookup.h"

#include <dlfcn.h>

gpointer
test_look_up (gpointer library, const gchar * name)
{
  static const gchar *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5",
    "GLIBC_2.17"
  };
  static gpointer (*real) (gpointer, const gchar *);

  for (guint i = 0; real == NULL && i < G_N_ELEMENTS (versions); i++)
    *(gpointer *) & real = dlvsym (RTLD_NEXT, "dlsym", versions[i]);
  return real (library, name);
}
