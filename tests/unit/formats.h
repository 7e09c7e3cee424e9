/* Formats of the plugin for unit tests.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_FORMATS_H
#define TESTS_FORMATS_H

#include "harness.h"

#include "media/format.h"

/* One channel at 48 kHz. */
HistoFormat *test_audio_format (GstAudioFormat format);

HistoFormat *test_video_format (GstVideoFormat format, guint width,
    guint height);

#endif /* TESTS_FORMATS_H */
