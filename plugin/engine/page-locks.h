/* Counts the bytes of upstream's memory that one element has page-locked, and limits them.
 *
 * The account belongs to an element and to each memory that is page-locked for it. It lives as
 * long as any of these: memory outlives engines and elements. All functions may be called from
 * any thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HISTO_PAGE_LOCKS_H
#define HISTO_PAGE_LOCKS_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HistoPageLocks HistoPageLocks;

/* Off, with a limit of 0 bytes. */
HistoPageLocks *histo_page_locks_new (void);
HistoPageLocks *histo_page_locks_ref (HistoPageLocks * locks);
void histo_page_locks_unref (HistoPageLocks * locks);

/* Changes what may be page-locked from now on. Memory that is page-locked stays so, even when
 * @limit (bytes) is below its size. */
void histo_page_locks_set (HistoPageLocks * locks, gboolean is_on,
    guint64 limit);
gboolean histo_page_locks_is_on (HistoPageLocks * locks);

/* Counts @size bytes as page-locked. These are the bytes of the memory; the system locks the whole
 * pages that contain them. FALSE, and nothing is counted, if page-locking is off or
 * the sum would exceed the limit. */
gboolean histo_page_locks_reserve (HistoPageLocks * locks, gsize size);
/* @size: bytes of one successful reservation, which are not page-locked any more */
void histo_page_locks_release (HistoPageLocks * locks, gsize size);

G_END_DECLS

#endif /* HISTO_PAGE_LOCKS_H */
