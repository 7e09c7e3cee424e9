// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA's intrinsic functions that concern one thread alone: loads and stores with a cache hint, bit and byte
// arithmetic, conversions, and arithmetic with a stated rounding. Included by simt.h.
//
// Compile with -ffp-contract=off (simt_dep does): the _rn functions must not be fused by the host's compiler.
#pragma once

// ---- Loads and stores: the hints mean nothing here, but an access must be one that the device has ------------------

#define SIMT_LOAD(name) \
  template <typename T> static inline T name (const T *address) \
  { \
    static_assert (sizeof (T) <= 16 && (sizeof (T) & (sizeof (T) - 1)) == 0, "no access of this size"); \
    return *address; \
  }
SIMT_LOAD (__ldg)
SIMT_LOAD (__ldcs)
#undef SIMT_LOAD

#define SIMT_STORE(name) \
  template <typename T> static inline void name (T *address, T value) \
  { \
    static_assert (sizeof (T) <= 16 && (sizeof (T) & (sizeof (T) - 1)) == 0, "no access of this size"); \
    *address = value; \
  }
SIMT_STORE (__stcs)
#undef SIMT_STORE

// Those that go past the caches of a multiprocessor meet the atomic operations of others where these are made: up to 8
// bytes they are relaxed atomic accesses.
template <typename T>
static inline T
__ldcg (const T *address)
{
  static_assert (sizeof (T) <= 16 && (sizeof (T) & (sizeof (T) - 1)) == 0, "no access of this size");
#ifdef SIMT_THREADS
  if constexpr (sizeof (T) <= 8) {
    T value;
    __atomic_load (address, &value, __ATOMIC_RELAXED);
    return value;
  }
#endif
  return *address;
}

template <typename T>
static inline void
__stcg (T *address, T value)
{
  static_assert (sizeof (T) <= 16 && (sizeof (T) & (sizeof (T) - 1)) == 0, "no access of this size");
#ifdef SIMT_THREADS
  if constexpr (sizeof (T) <= 8) {
    __atomic_store (address, &value, __ATOMIC_RELAXED);
    return;
  }
#endif
  *address = value;
}

// ---- Bits and bytes ------------------------------------------------------------------------------------------------

static inline int __clz (int x) { return x == 0 ? 32 : __builtin_clz (static_cast<unsigned> (x)); }
static inline int __clzll (long long x) { return x == 0 ? 64 : __builtin_clzll (static_cast<unsigned long long> (x)); }
static inline int __ffs (int x) { return __builtin_ffs (x); }
static inline int __ffsll (long long x) { return __builtin_ffsll (x); }
static inline int __popc (unsigned x) { return __builtin_popcount (x); }
static inline int __popcll (unsigned long long x) { return __builtin_popcountll (x); }

static inline unsigned
__brev (unsigned x)
{
  unsigned reversed = 0;
  for (int i = 0; i < 32; i++)
    reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}

static inline unsigned simt_byte (unsigned x, int i) { return x >> 8 * i & 0xff; }

// Byte i of the result is that byte of y:x (x holds bytes 0..3) which the low three bits of nibble i of s name.
static inline unsigned
__byte_perm (unsigned x, unsigned y, unsigned s)
{
  const unsigned long long bytes = static_cast<unsigned long long> (y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= static_cast<unsigned> (bytes >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}

// hi:lo shifted right or left by shift modulo 32; the low or the high word of it.
static inline unsigned
__funnelshift_r (unsigned lo, unsigned hi, unsigned shift)
{
  return static_cast<unsigned> ((static_cast<unsigned long long> (hi) << 32 | lo) >> (shift & 31));
}

static inline unsigned
__funnelshift_l (unsigned lo, unsigned hi, unsigned shift)
{
  return static_cast<unsigned> ((static_cast<unsigned long long> (hi) << 32 | lo) << (shift & 31) >> 32);
}

// c plus the sum of the products of four pairs of bytes, modulo 2^32.
static inline unsigned
__dp4a (unsigned a, unsigned b, unsigned c)
{
  for (int i = 0; i < 4; i++)
    c += simt_byte (a, i) * simt_byte (b, i);
  return c;
}

static inline int
__dp4a (int a, int b, int c)
{
  unsigned sum = static_cast<unsigned> (c);
  for (int i = 0; i < 4; i++)
    sum += static_cast<unsigned> (static_cast<signed char> (simt_byte (static_cast<unsigned> (a), i))
        * static_cast<signed char> (simt_byte (static_cast<unsigned> (b), i)));
  return static_cast<int> (sum);
}

// c plus the sum of the products of the halves of a with bytes 0 and 1 of b, or with bytes 2 and 3; modulo 2^32.
static inline unsigned
__dp2a_lo (unsigned a, unsigned b, unsigned c)
{
  return c + (a & 0xffff) * simt_byte (b, 0) + (a >> 16) * simt_byte (b, 1);
}

static inline unsigned
__dp2a_hi (unsigned a, unsigned b, unsigned c)
{
  return __dp2a_lo (a, b >> 16, c);
}

static inline unsigned
__vminu4 (unsigned a, unsigned b)
{
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= simt_min (simt_byte (a, i), simt_byte (b, i)) << 8 * i;
  return result;
}

static inline unsigned
__vmaxu4 (unsigned a, unsigned b)
{
  unsigned result = 0;
  for (int i = 0; i < 4; i++)
    result |= simt_max (simt_byte (a, i), simt_byte (b, i)) << 8 * i;
  return result;
}

// The lower and the greater of each of two pairs of unsigned 16-bit integers.
static inline unsigned
__vminu2 (unsigned a, unsigned b)
{
  return simt_min (a & 0xffff, b & 0xffff) | simt_min (a >> 16, b >> 16) << 16;
}

static inline unsigned
__vmaxu2 (unsigned a, unsigned b)
{
  return simt_max (a & 0xffff, b & 0xffff) | simt_max (a >> 16, b >> 16) << 16;
}

// The lower and the greater of each of two pairs of signed 16-bit integers.
static inline unsigned
__vmins2 (unsigned a, unsigned b)
{
  const short low = simt_min (static_cast<short> (a), static_cast<short> (b));
  const short high = simt_min (static_cast<short> (a >> 16), static_cast<short> (b >> 16));
  return static_cast<unsigned short> (low) | static_cast<unsigned> (static_cast<unsigned short> (high)) << 16;
}

static inline unsigned
__vmaxs2 (unsigned a, unsigned b)
{
  const short low = simt_max (static_cast<short> (a), static_cast<short> (b));
  const short high = simt_max (static_cast<short> (a >> 16), static_cast<short> (b >> 16));
  return static_cast<unsigned short> (low) | static_cast<unsigned> (static_cast<unsigned short> (high)) << 16;
}

// Of three each.
static inline unsigned
__vimin3_s16x2 (unsigned a, unsigned b, unsigned c)
{
  return __vmins2 (__vmins2 (a, b), c);
}

static inline unsigned
__vimax3_s16x2 (unsigned a, unsigned b, unsigned c)
{
  return __vmaxs2 (__vmaxs2 (a, b), c);
}

// The absolute differences of four pairs of bytes.
static inline unsigned
__vabsdiffu4 (unsigned a, unsigned b)
{
  return __vmaxu4 (a, b) - __vminu4 (a, b);
}

// The sum of the absolute differences of four pairs of bytes.
static inline unsigned
__vsadu4 (unsigned a, unsigned b)
{
  unsigned sum = 0;
  for (int i = 0; i < 4; i++)
    sum += simt_max (simt_byte (a, i), simt_byte (b, i)) - simt_min (simt_byte (a, i), simt_byte (b, i));
  return sum;
}

static inline int
__mulhi (int a, int b)
{
  return static_cast<int> (static_cast<long long> (a) * b >> 32);
}

static inline unsigned
__umulhi (unsigned a, unsigned b)
{
  return static_cast<unsigned> (static_cast<unsigned long long> (a) * b >> 32);
}

static inline unsigned long long
__umul64hi (unsigned long long a, unsigned long long b)
{
  __extension__ typedef unsigned __int128 wide;
  return static_cast<unsigned long long> (static_cast<wide> (a) * b >> 64);
}

// ---- Reinterpretation ----------------------------------------------------------------------------------------------

static inline float __int_as_float (int x) { return simt_bits<float> (x); }
static inline float __uint_as_float (unsigned x) { return simt_bits<float> (x); }
static inline int __float_as_int (float x) { return simt_bits<int> (x); }
static inline unsigned __float_as_uint (float x) { return simt_bits<unsigned> (x); }
static inline double __longlong_as_double (long long x) { return simt_bits<double> (x); }
static inline long long __double_as_longlong (double x) { return simt_bits<long long> (x); }

// ---- Conversion to integers ----------------------------------------------------------------------------------------
// Beyond the range, the device answers the range's end; for NaN, 0 if both sides have 32 bits and the least integer
// otherwise (PTX manual, cvt).

template <typename To, typename From>
static inline To
simt_to_integer (From rounded)
{
  const To least = std::numeric_limits<To>::min (), greatest = std::numeric_limits<To>::max ();
  const From beyond = -static_cast<From> (least);       // greatest + 1: a power of two, hence exact
  if (std::isnan (rounded))
    return sizeof (From) == 4 && sizeof (To) == 4 ? 0 : least;
  if (rounded >= beyond)
    return greatest;
  return rounded < -beyond ? least : static_cast<To> (rounded);
}

#define SIMT_TO_INTEGER(name, from, to) \
  static inline to name##_rd (from x) { return simt_to_integer<to> (std::floor (x)); } \
  static inline to name##_rn (from x) { return simt_to_integer<to> (std::nearbyint (x)); } \
  static inline to name##_ru (from x) { return simt_to_integer<to> (std::ceil (x)); } \
  static inline to name##_rz (from x) { return simt_to_integer<to> (std::trunc (x)); }
SIMT_TO_INTEGER (__float2int, float, int)
SIMT_TO_INTEGER (__float2ll, float, long long)
SIMT_TO_INTEGER (__double2int, double, int)
SIMT_TO_INTEGER (__double2ll, double, long long)
#undef SIMT_TO_INTEGER

// ---- Arithmetic rounded to nearest and never fused -----------------------------------------------------------------

static inline float __fadd_rn (float a, float b) { return a + b; }
static inline float __fsub_rn (float a, float b) { return a - b; }
static inline float __fmul_rn (float a, float b) { return a * b; }
static inline float __fdiv_rn (float a, float b) { return a / b; }
static inline float __fmaf_rn (float a, float b, float c) { return std::fma (a, b, c); }
// Rounded down. The volatile variables keep the compiler from computing it before the rounding is set.
static inline float
__fmaf_rd (float a, float b, float c)
{
  volatile float x = a, y = b, z = c;
  const int rounding = std::fegetround ();
  std::fesetround (FE_DOWNWARD);
  volatile float result = std::fma (x, y, z);
  std::fesetround (rounding);
  return result;
}

// The sum rounded down: the rounding error of a sum is a floating-point number, too, and can be computed.
static inline float
__fadd_rd (float a, float b)
{
  const float sum = a + b, of_b = sum - a;
  const float error = (a - (sum - of_b)) + (b - of_b);
  return error < 0 ? std::nextafter (sum, -INFINITY) : sum;
}

// Between 0 and 1; NaN becomes 0.
static inline float __saturatef (float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

static inline double __dadd_rn (double a, double b) { return a + b; }
static inline double __dsub_rn (double a, double b) { return a - b; }
static inline double __dmul_rn (double a, double b) { return a * b; }
static inline double __ddiv_rn (double a, double b) { return a / b; }
static inline double __fma_rn (double a, double b, double c) { return std::fma (a, b, c); }

// ---- min and max ---------------------------------------------------------------------------------------------------
// CUDA's own overloads: a signed and an unsigned operand meet as unsigned, float and double as double, and NaN loses
// against a number.

#define SIMT_MIN_MAX(a_type, b_type, type) \
  static inline type min (a_type a, b_type b) { return simt_min (static_cast<type> (a), static_cast<type> (b)); } \
  static inline type max (a_type a, b_type b) { return simt_max (static_cast<type> (a), static_cast<type> (b)); }
#define SIMT_MIN_MAX_OF(type) SIMT_MIN_MAX (type, type, type)
#define SIMT_MIN_MAX_MIXED(type) \
  SIMT_MIN_MAX_OF (type) SIMT_MIN_MAX_OF (unsigned type) \
  SIMT_MIN_MAX (type, unsigned type, unsigned type) SIMT_MIN_MAX (unsigned type, type, unsigned type)
SIMT_MIN_MAX_MIXED (int)
SIMT_MIN_MAX_MIXED (long)
SIMT_MIN_MAX_MIXED (long long)
#undef SIMT_MIN_MAX_MIXED
#undef SIMT_MIN_MAX_OF
#undef SIMT_MIN_MAX

#define SIMT_MIN_MAX_FLOATING(a_type, b_type, type) \
  static inline type min (a_type a, b_type b) { return std::fmin (static_cast<type> (a), static_cast<type> (b)); } \
  static inline type max (a_type a, b_type b) { return std::fmax (static_cast<type> (a), static_cast<type> (b)); }
SIMT_MIN_MAX_FLOATING (float, float, float)
SIMT_MIN_MAX_FLOATING (double, double, double)
SIMT_MIN_MAX_FLOATING (float, double, double)
SIMT_MIN_MAX_FLOATING (double, float, double)
#undef SIMT_MIN_MAX_FLOATING

// A clock that goes forward; its unit is unspecified, as on a device.
long long clock64 ();
