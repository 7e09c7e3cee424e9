/* The pictures that the maps read again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "config.h"

#include "engine/cuda/pictures.h"

#define CHECK(pictures, call, error) \
  HISTO_DRIVER_CHECK ((pictures)->driver, call, error)

gboolean
histo_pictures_alloc (HistoPictures * pictures, const HistoDriver * driver,
    gsize size, GError ** error)
{
  pictures->driver = driver;
  for (guint i = 0; i < G_N_ELEMENTS (pictures->memory); i++) {
    if (!CHECK (pictures, cuMemAlloc (&pictures->memory[i], MAX (size, 1)),
            error))
      return FALSE;
  }
  return CHECK (pictures, cuEventCreate (&pictures->end,
          CU_EVENT_DISABLE_TIMING), error);
}

void
histo_pictures_clear (HistoPictures * pictures)
{
  for (guint i = 0; i < G_N_ELEMENTS (pictures->memory); i++) {
    if (pictures->memory[i] != 0)
      CHECK (pictures, cuMemFree (pictures->memory[i]), NULL);
  }
  if (pictures->end != NULL)
    CHECK (pictures, cuEventDestroy (pictures->end), NULL);
  memset (pictures, 0, sizeof *pictures);
}

gboolean
histo_pictures_begin (HistoPictures * pictures, gboolean continues,
    CUstream stream, CUdeviceptr * picture, CUdeviceptr * previous,
    GError ** error)
{
  /* Also without a previous frame: an earlier launch may still read the picture. */
  if (pictures->has_end
      && !CHECK (pictures, cuStreamWaitEvent (stream, pictures->end, 0), error))
    return FALSE;
  *picture = pictures->memory[pictures->next];
  *previous = continues && g_atomic_int_get (&pictures->has_previous) ?
      pictures->memory[1 - pictures->next] : 0;
  return TRUE;
}

gboolean
histo_pictures_end (HistoPictures * pictures, CUstream stream, GError ** error)
{
  if (!CHECK (pictures, cuEventRecord (pictures->end, stream), error))
    return FALSE;
  pictures->has_end = TRUE;
  pictures->next = 1 - pictures->next;
  g_atomic_int_set (&pictures->has_previous, TRUE);
  return TRUE;
}

void
histo_pictures_interrupt (HistoPictures * pictures)
{
  g_atomic_int_set (&pictures->has_previous, FALSE);
}

void
histo_pictures_forget (HistoPictures * pictures)
{
  /* In this order: a frame that begins meanwhile and still sees a previous one has the old count. */
  g_atomic_int_set (&pictures->has_previous, FALSE);
  g_atomic_int_inc (&pictures->n_forgotten);
}
