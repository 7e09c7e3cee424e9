/* The names of the channels of sound by their positions: in reports, and in the overlay.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_CHANNELS_H
#define HISTO_CHANNELS_H

#include <gst/gst.h>

G_BEGIN_DECLS

gchar **histo_channel_names (const GstCaps * caps);

G_END_DECLS

#endif /* HISTO_CHANNELS_H */
