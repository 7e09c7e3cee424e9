/* The two sink pads of cudahistocompare, as a model for spin: plugin/compare/pairs.c and cudahistocompare.c.
 * tests/model/check.py checks it.
 *
 * Processes: the thread of `sink`, the thread of `reference`, and an application that flushes one of both pads, stops both
 * or unlinks `reference` at any time. The model checks every order of their steps. What a step of the C code does under
 * the element's lock is atomic here; a wait for a condition is a statement that blocks, and another thread's broadcast
 * makes it executable. The element also looks again after 5 s; here it does not.
 *
 * spin tries distances of 1 to 3 between two frames of `sink` and of 1 and 2 between those of `reference`. Frames last 2
 * each. Each reference frame may be lost, with or without a gap event.
 *
 * Assumptions:
 * - `pairing` is `time`, and the stream is not live.
 * - Downstream takes each frame.
 *
 * Invariants, with the tests that show them on the element. check.py looks these tests up.
 *   RIGHT       Without an action, a frame gets the nearest frame of the reference that comes at any time, the earlier one
 *               of two that are as near, and none if none is near.        compare.c: test_two_threads
 *   ONCE        A frame of the reference has one partner at most.          compare.c: test_two_threads
 *   LIMIT       At most max-in-flight frames of the reference are queued, and one more.   compare.c: test_limit
 *   NO_LOSS     Without an action, all frames leave.                       compare.c: test_two_threads
 *   NOT_STUCK   Each thread ends. No deadlock.                             compare.c: test_two_threads
 *
 * -DSTALLS: `reference` may rest for ever, without an end; then the application stops both pads or unlinks it.
 * -DFAULT_... puts one fault into the model. check.py expects a violation then.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#ifndef FRAMES
#define FRAMES 3
#endif
#ifndef REFERENCES
#define REFERENCES 3
#endif
#ifndef MAX_IN_FLIGHT
#define MAX_IN_FLIGHT 1
#endif
#ifndef ACTIONS
#define ACTIONS 1
#endif
#ifdef STALLS
#define MAY_REST true
#define MAY_FLUSH (n_actions < ACTIONS)         /* the last action ends all */
#define MAY_LEAVE (is_stopped || !is_linked)
#else
#define MAY_REST false
#define MAY_FLUSH true
#define MAY_LEAVE true
#endif
#define ROOM (MAX_IN_FLIGHT + 1)
#define NONE 255
#define HALF 1                  /* of a duration */

mtype = { FOUND, ALONE, WAIT };

/* ---- Under the element's lock ---------------------------------------------------------- */

byte queue[ROOM + 1];           /* numbers of reference frames */
byte length, reached;
bool sink_is_flushing, sink_has_ended, reference_is_flushing, reference_has_ended;
bool is_linked = true;
bool sink_waits, reference_waits;       /* for `changed` */

/* ---- What the checks need ------------------------------------------------------------- */

byte times[REFERENCES];         /* of the reference's frames */
bool is_lost[REFERENCES];
byte taken = NONE;              /* the latest with a partner */
byte n_left;
bool times_are_known;
bool has_acted, sink_is_inside, reference_is_inside, application_is_done, is_stopped;

hidden byte i, k, n, best;      /* of loops */
hidden byte is_over;

#define DISTANCE(a, b) ((a) > (b) -> (a) - (b) : (b) - (a))

inline wake_sink () { sink_waits = false }
inline wake_reference () { reference_waits = false }
inline broadcast () { wake_sink (); wake_reference () }

/* histo_pairs_decide () */
inline decide (time, decision, partner)
{
  best = NONE;
  is_over = reference_has_ended || !is_linked || reached > time;
  i = 0;
  do
  :: i < length ->
     if
     :: best == NONE || DISTANCE (times[queue[i]], time) < DISTANCE (times[best], time) -> best = queue[i]
#ifdef FAULT_LATER_WINS
     :: best != NONE && DISTANCE (times[queue[i]], time) == DISTANCE (times[best], time) -> best = queue[i]
#endif
     :: else
     fi;
#ifdef FAULT_DECIDES_EARLY
     is_over = true;
#else
     is_over = is_over || times[queue[i]] >= time;
#endif
     i++
  :: else -> break
  od;
  if
  :: best != NONE && is_over && DISTANCE (times[best], time) <= HALF ->
     decision = FOUND;
     partner = best;
     /* Those up to it leave the queue. */
     n = 0;
     i = 0;
     do
     :: i < length && queue[i] <= best -> i++
     :: else -> break
     od;
     do
     :: i < length -> queue[n] = queue[i]; n++; i++
     :: else -> break
     od;
     length = n
  :: else ->
     decision = (is_over -> ALONE : WAIT);
     n = 0;
     i = 0;
     do
     :: i < length ->
        if
#ifndef FAULT_KEEPS_EARLIER
        :: times[queue[i]] < time && (is_over || queue[i] != best)
#endif
        :: else -> queue[n] = queue[i]; n++
        fi;
        i++
     :: else -> break
     od;
     length = n
  fi;
  i = 0; n = 0
}

/* RIGHT: among all frames that are not lost, behind the latest that has a partner. */
inline check (time, partner)
{
  best = NONE;
  k = (taken == NONE -> 0 : taken + 1);
  do
  :: k < REFERENCES ->
     if
     :: !is_lost[k] && DISTANCE (times[k], time) <= HALF &&
        (best == NONE || DISTANCE (times[k], time) < DISTANCE (times[best], time)) -> best = k
     :: else
     fi;
     k++
  :: else -> break
  od;
  assert (has_acted || partner == best);        /* RIGHT */
  best = NONE; k = 0
}

/* ---- The thread of `sink` --------------------------------------------------------------- */

active proctype sink ()
{
  byte frame, time, partner;
  mtype decision;

  /* check () needs those of the reference. */
  times_are_known;
  do
  :: frame < FRAMES ->
     if
     :: time = time + 1
     :: time = time + 2
     :: time = time + 3
     fi;
     sink_is_inside = true;
again:
     atomic {
       partner = NONE;
       if
       :: sink_is_flushing -> decision = ALONE; sink_is_inside = false; goto flushed
       :: else
       fi;
       d_step {
         decide (time, decision, partner);
#ifndef FAULT_DECISION_WAKES_NONE
         wake_reference ();
#endif
         sink_waits = decision == WAIT
       }
     }
     if
     :: decision == WAIT ->
        !sink_waits;
        goto again
     :: else
     fi;
     d_step {
       check (time, partner);
       if
       :: partner != NONE ->
          assert (taken == NONE || partner > taken);    /* ONCE */
          taken = partner
       :: else
       fi;
       n_left++;
       sink_is_inside = false
     }
flushed:
     if
     :: sink_is_flushing && is_stopped -> goto done
     :: sink_is_flushing && !is_stopped -> !sink_is_flushing || is_stopped
     :: else
     fi;
     frame++
  :: else -> break
  od;
  atomic {
    sink_has_ended = true;
    length = 0;
#ifndef FAULT_END_WAKES_NONE
    broadcast ()
#endif
  }
  assert (has_acted || n_left == FRAMES);       /* NO_LOSS */
done:
  skip
}

/* ---- The thread of `reference` ----------------------------------------------------------- */

active proctype reference ()
{
  byte frame, time;

  /* Times and losses, before anything moves. */
  atomic {
  do
  :: frame < REFERENCES ->
     if
     :: time = time + 1
     :: time = time + 2
     fi;
     times[frame] = time;
     if
     :: is_lost[frame] = true
     :: skip
     fi;
     frame++
  :: else -> break
  od;
  frame = 0;
  time = 0;
  times_are_known = true
  }
  do
  :: frame < REFERENCES && !is_lost[frame] ->
     reference_is_inside = true;
again:
     atomic {
       if
       :: reference_is_flushing -> reference_is_inside = false; goto flushed
       :: else
       fi;
       if
       :: sink_has_ended || !is_linked -> reference_is_inside = false; goto ended
       :: else
       fi;
#ifdef FAULT_LESS_ROOM
       if
       :: length >= MAX_IN_FLIGHT -> reference_waits = true
       :: else
       fi;
#else
       if
       :: length > MAX_IN_FLIGHT -> reference_waits = true
       :: else
       fi;
#endif
       if
       :: !reference_waits ->
          queue[length] = frame;
          length++;
          assert (length <= MAX_IN_FLIGHT + 1); /* LIMIT */
#ifndef FAULT_PUSH_WAKES_NONE
          wake_sink ();
#endif
          reference_is_inside = false
       :: else
       fi
     }
     if
     :: reference_is_inside ->
        !reference_waits;
        goto again
     :: else
     fi;
flushed:
     if
     :: reference_is_flushing && is_stopped -> goto done
     :: reference_is_flushing && !is_stopped -> !reference_is_flushing || is_stopped
     :: else
     fi;
     frame++
  :: frame < REFERENCES && is_lost[frame] ->
     /* A gap event says that nothing comes before its end. */
     if
     :: atomic {
          reached = times[frame];
          wake_sink ()
        }
     :: skip
     fi;
     frame++
  :: frame == REFERENCES -> break
  :: MAY_REST -> goto done
  od;
ended:
  /* After a flush, upstream sends the end again. */
  do
  :: !reference_has_ended ->
     atomic {
       reference_has_ended = true;
#ifndef FAULT_END_WAKES_NONE
       broadcast ()
#endif
     }
  :: reference_has_ended && application_is_done -> break
  od;
done:
  skip
}

/* ---- The application --------------------------------------------------------------------- */

active proctype application ()
{
  byte n_actions;

  do
  :: n_actions < ACTIONS && !is_stopped ->
     n_actions++;
     if
     :: /* A flush of `sink`: its end waits for the pad's stream lock. */
        MAY_FLUSH;
        atomic {
          has_acted = true;
          sink_is_flushing = true;
#ifndef FAULT_FLUSH_WAKES_NONE
          broadcast ()
#endif
        }
        !sink_is_inside;
        sink_is_flushing = false
     :: MAY_FLUSH;
        atomic {
          has_acted = true;
          reference_is_flushing = true;
#ifndef FAULT_FLUSH_WAKES_NONE
          broadcast ()
#endif
        }
        !reference_is_inside;
        atomic {
          length = 0;
          reached = 0;
          reference_is_flushing = false;
          reference_has_ended = false;
          broadcast ()
        }
     :: /* A stop: both pads, one after the other. */
        atomic {
          has_acted = true;
          is_stopped = true;
          sink_is_flushing = true;
          broadcast ()
        }
        !sink_is_inside;
        atomic {
          reference_is_flushing = true;
          broadcast ()
        }
        !reference_is_inside
     :: atomic {
          has_acted = true;
          is_linked = false;
#ifndef FAULT_UNLINK_WAKES_NONE
          broadcast ()
#endif
        }
     fi
  :: MAY_LEAVE -> break
  od;
  application_is_done = true
}
