/* The GPUs that processes can be spread over; see gpus.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gpus.h"

/* As many device files as the NVIDIA driver makes. */
#define MOST_GPUS 64

/**
 * report_gpus_list:
 *
 * A process sees one of them if its CUDA_VISIBLE_DEVICES is that text. Its decoder and its
 * cudahisto then use the same GPU.
 *
 * Returns: (transfer full) (nullable): the GPUs that this process may use; NULL: fewer than two
 */
gchar **
report_gpus_list (void)
{
  const gchar *visible = g_getenv ("CUDA_VISIBLE_DEVICES");
  GPtrArray *gpus;
  gchar **list;

  if (visible != NULL) {
    list = g_strsplit (visible, ",", -1);
  } else {
    gpus = g_ptr_array_new ();
    for (guint i = 0; i < MOST_GPUS; i++) {
      gchar *device = g_strdup_printf ("/dev/nvidia%u", i);

      /* CUDA counts only those that exist. */
      if (g_file_test (device, G_FILE_TEST_EXISTS))
        g_ptr_array_add (gpus, g_strdup_printf ("%u", gpus->len));
      g_free (device);
    }
    g_ptr_array_add (gpus, NULL);
    list = (gchar **) g_ptr_array_free (gpus, FALSE);
  }
  if (g_strv_length (list) < 2)
    g_clear_pointer (&list, g_strfreev);
  return list;
}
