// SPDX-License-Identifier: LGPL-2.1-or-later
// How a kernel becomes known to the mock: include the kernel's source, then say MOCK_KERNEL (its_name) at file scope.
// cuModuleGetFunction finds it by that name, whatever the module's image is.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <vector>

namespace mock {

// An address among a launch's parameters.
struct Address
{
  unsigned parameter;
  uintptr_t value;
  bool certain;                 // a pointer by its type; otherwise found inside a structure, where it may be a number
};

struct Kernel
{
  const char *name;
  // Copy the parameters that cuLaunchKernel was given; what is returned calls the kernel with the copies.
  std::function<std::function<void ()> (void **parameters)> bind;
  std::function<std::vector<Address> (void **parameters)> addresses;
};

// Returns true, so that it can initialise a variable.
bool register_kernel (Kernel kernel);

template <typename T>
void
collect_addresses (unsigned parameter, const void *value, std::vector<Address> &addresses)
{
  if (std::is_arithmetic<T>::value || std::is_enum<T>::value)
    return;
  for (size_t offset = 0; offset + sizeof (uintptr_t) <= sizeof (T); offset += alignof (uintptr_t)) {
    uintptr_t word;
    memcpy (&word, static_cast<const char *> (value) + offset, sizeof word);
    if (word != 0)
      addresses.push_back ({ parameter, word, std::is_pointer<T>::value });
  }
}

template <typename... Parameters, size_t... index>
Kernel
describe_kernel (const char *name, void (*function) (Parameters...), std::index_sequence<index...>)
{
  auto bind = [function] (void **parameters) {
    (void) parameters;
    std::tuple<Parameters...> copies (*static_cast<const Parameters *> (parameters[index])...);
    return std::function<void ()> ([function, copies] { std::apply (function, copies); });
  };
  auto addresses = [] (void **parameters) {
    (void) parameters;
    std::vector<Address> found;
    (collect_addresses<Parameters> (static_cast<unsigned> (index), parameters[index], found), ...);
    return found;
  };
  return { name, bind, addresses };
}

template <typename... Parameters>
Kernel
describe_kernel (const char *name, void (*function) (Parameters...))
{
  return describe_kernel (name, function, std::index_sequence_for<Parameters...> ());
}

} // namespace mock

#define MOCK_KERNEL(name) \
  [[maybe_unused]] static const bool mock_kernel_##name = mock::register_kernel (mock::describe_kernel (#name, name));
