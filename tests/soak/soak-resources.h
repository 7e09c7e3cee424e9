/* What the process and the device have in use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_SOAK_RESOURCES_H
#define TESTS_SOAK_RESOURCES_H

#include <glib.h>

typedef struct
{
  gdouble memory;               /* MiB, resident */
  guint n_descriptors, n_threads;
  gdouble device_memory;        /* MiB, of all processes; < 0: unknown */
} SoakResources;

/* To be called first: memory that is freed goes back to the system, so that growth is seen. */
void soak_resources_init (void);

/* To be called while no pipeline exists. */
void soak_resources_read (SoakResources * resources);
void soak_resources_print (const SoakResources * begin,
    const SoakResources * warm, const SoakResources * end);
gboolean soak_resources_have_grown (const SoakResources * warm,
    const SoakResources * end);

#endif /* TESTS_SOAK_RESOURCES_H */
