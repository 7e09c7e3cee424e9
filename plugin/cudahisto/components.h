/* The components that are no samples: which group and which map gives each one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_COMPONENTS_H
#define HISTO_COMPONENTS_H

#include "groups.h"

G_BEGIN_DECLS

/* What the native components of video stand for. All may also have A. */
typedef enum
{
  HISTO_COLORS_YUV,             /* Y, U, V */
  HISTO_COLORS_RGB,             /* R, G, B */
  HISTO_COLORS_GRAY             /* Y */
} HistoColors;

/* The components that are no samples and no differences, in their order:
 *   DERIVED (GROUP, SOURCE, name, colors): the formats with one of these HistoColors have it. */
#define HISTO_DERIVED_COMPONENTS(DERIVED) \
  DERIVED (SIGNAL, SATURATION, "saturation", HISTO_HAS_YUV | HISTO_HAS_RGB) \
  DERIVED (SIGNAL, HUE, "hue", HISTO_HAS_YUV | HISTO_HAS_RGB) \
  DERIVED (COLOR, LUMA, "luma", HISTO_HAS_RGB) \
  DERIVED (COLOR, RED, "R", HISTO_HAS_YUV | HISTO_HAS_GRAY) \
  DERIVED (COLOR, GREEN, "G", HISTO_HAS_YUV | HISTO_HAS_GRAY) \
  DERIVED (COLOR, BLUE, "B", HISTO_HAS_YUV | HISTO_HAS_GRAY) \
  DERIVED (HDR, MAXRGB, "maxrgb", HISTO_HAS_YUV | HISTO_HAS_RGB | HISTO_HAS_GRAY) \
  DERIVED (DETAIL, GRADIENT, "gradient", HISTO_HAS_YUV | HISTO_HAS_RGB | HISTO_HAS_GRAY)

/* Flags of HistoColors. */
#define HISTO_HAS_YUV (1u << HISTO_COLORS_YUV)
#define HISTO_HAS_RGB (1u << HISTO_COLORS_RGB)
#define HISTO_HAS_GRAY (1u << HISTO_COLORS_GRAY)

typedef struct
{
  HistoGroup group;
  HistoSource source;
  const gchar *name;
  guint colors;                 /* flags of those that have it */
} HistoDerivedInfo;

enum
{
#define ONE_COMPONENT(group, source, name, colors) HISTO_DERIVED_##source,
  HISTO_DERIVED_COMPONENTS (ONE_COMPONENT)
#undef ONE_COMPONENT
  HISTO_N_DERIVED
};

extern const HistoDerivedInfo histo_derived_components[HISTO_N_DERIVED];

G_END_DECLS

#endif /* HISTO_COMPONENTS_H */
