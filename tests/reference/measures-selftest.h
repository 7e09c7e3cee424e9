/* measures-selftest.h: what the files of the self-test of the measures share.
 *
 * Copyright (C) 2026 The cudahisto authors
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include "reference-measures.h"

G_BEGIN_DECLS

/* Counts a check, and prints it if it failed. */
void check_int (const gchar * what, gint64 found, gint64 expected);
void check_near (const gchar * what, gdouble found, gdouble expected,
    gdouble tolerance);
void check_nan (const gchar * what, gdouble found);

GstVideoColorimetry colorimetry (GstVideoColorRange range,
    GstVideoColorMatrix matrix, GstVideoTransferFunction transfer);

/* A picture of these samples of three components; A has those of the first one.
 * The range is full, or limited; BT.709, linear. */
ReferencePicture picture_of (GstVideoFormat format, guint width, guint height,
    gboolean full, const guint32 * a, const guint32 * b, const guint32 * c);

/* A GRAY8 picture of full range. */
ReferencePicture gray_picture (guint width, guint height,
    const guint32 * samples);

/* All measures of a whole picture, and of a region, without a history. */
ReferenceMeasures measures_of (const ReferencePicture * current,
    const ReferencePicture * previous);
ReferenceMeasures measures_of_region (const ReferencePicture * current,
    guint x, guint y, guint width, guint height);

/* The component has counted these numbers. */
void check_values (const gchar * what, const ReferenceComponent * component,
    const guint32 * values, gsize n);

/* The tests. */
void check_colors (void);
void check_signal (void);
void check_motion (void);
void check_levels (void);
void check_gamut (void);
void check_hlg (void);
void check_flash (void);
void check_field (void);
void check_scopes (void);

G_END_DECLS
