#include "protocol/codec.h"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <msgpack.hpp>

#include "common/error.h"
#include "common/utf8.h"
#include "protocol/agent_fields.h"
#include "protocol/box_fields.h"
#include "protocol/fields.h"

namespace mstune::protocol {
namespace {

using Packer = msgpack::packer<msgpack::sbuffer>;
using msgpack::object;

template <typename T>
concept Tagged = requires {
  Wire<T>::kTag;
};
template <typename T>
concept Named = requires {
  Names<T>::kNames;
};
template <typename T>
concept Structured = requires(T& value) {
  Wire<T>::fields(value, [](const char*, auto&) {});
};

// ---- packing ----
void put(Packer& out, bool value) {
  out.pack(value);
}
void put(Packer& out, std::integral auto value) {
  out.pack(value);
}
void put_bin(Packer& out, const std::string& bytes) {
  out.pack_bin(static_cast<std::uint32_t>(bytes.size()));
  out.pack_bin_body(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}
void put(Packer& out, const std::string& value) {
  if (is_utf8(value)) {
    out.pack(value);
  } else {
    put_bin(out, value);
  }
}
void put(Packer& out, const Bytes& bytes) {
  put_bin(out, bytes.value);
}
template <Named T>
void put(Packer& out, T value) {
  out.pack(Names<T>::kNames[static_cast<std::size_t>(value)]);
}
void put(Packer& out, const std::map<std::string, std::string>& values) {
  out.pack_map(static_cast<std::uint32_t>(values.size()));
  for (const auto& [name, value] : values) {
    put(out, name);
    put(out, value);
  }
}
void put(Packer& out, const Facts& facts) {
  out.pack_map(static_cast<std::uint32_t>(facts.size()));
  for (const auto& [name, fact] : facts) {
    put(out, name);
    std::visit([&](const auto& value) { put(out, value); }, fact);
  }
}
template <typename T>
void put(Packer& out, const std::vector<T>& values);
template <Structured T>
void put(Packer& out, const T& value);
void put(Packer& out, const Event& event);

template <typename T>
void put(Packer& out, const std::vector<T>& values) {
  out.pack_array(static_cast<std::uint32_t>(values.size()));
  for (const T& value : values) {
    put(out, value);
  }
}

template <Structured T>
void put(Packer& out, const T& value) {
  std::uint32_t count = 0;
  Wire<T>::fields(value, [&](const char* /*name*/, const auto& /*member*/) { ++count; });
  out.pack_map(count);
  Wire<T>::fields(value, [&](const char* name, const auto& member) {
    out.pack(name);
    put(out, member);
  });
}

template <typename Variant>
void put_tagged(Packer& out, const Variant& message) {
  std::visit(
      [&]<typename T>(const T& value) {
        out.pack_array(2);
        out.pack(Wire<T>::kTag);
        put(out, value);
      },
      message);
}
void put(Packer& out, const Event& event) {
  put_tagged(out, event);
}

template <typename Variant>
std::string pack_tagged(const Variant& message) {
  msgpack::sbuffer buffer;
  Packer out(buffer);
  put_tagged(out, message);
  return {buffer.data(), buffer.size()};
}

// ---- unpacking ----
[[noreturn]] void refuse(const char* field, const char* wanted) {
  throw protocol_error("protocol.bad_field", "field \"{}\" of a message is not {}", field, wanted);
}

void take(const object& from, const char* field, bool& value) {
  if (from.type != msgpack::type::BOOLEAN) {
    refuse(field, "a boolean");
  }
  value = from.via.boolean;
}
template <std::integral T>
void take(const object& from, const char* field, T& value) {
  if (from.type == msgpack::type::POSITIVE_INTEGER && std::in_range<T>(from.via.u64)) {
    value = static_cast<T>(from.via.u64);
  } else if (from.type == msgpack::type::NEGATIVE_INTEGER && std::in_range<T>(from.via.i64)) {
    value = static_cast<T>(from.via.i64);
  } else {
    refuse(field, "an integer of its range");
  }
}
// Text that is no UTF-8 comes as bin; and what is bin was text in version 1.
std::optional<std::string_view> text_in(const object& from) {
  if (from.type == msgpack::type::STR) {
    return std::string_view(from.via.str.ptr, from.via.str.size);
  }
  if (from.type == msgpack::type::BIN) {
    return std::string_view(from.via.bin.ptr, from.via.bin.size);
  }
  return std::nullopt;
}
void take(const object& from, const char* field, std::string& value) {
  const auto text = text_in(from);
  if (!text) {
    refuse(field, "a string");
  }
  value = *text;
}
void take(const object& from, const char* field, Bytes& bytes) {
  const auto text = text_in(from);
  if (!text) {
    refuse(field, "binary");
  }
  bytes.value = *text;
}
// A name that a newer peer added is `unknown`, the first one.
template <Named T>
void take(const object& from, const char* field, T& value) {
  const auto text = text_in(from);
  if (!text) {
    refuse(field, "a name");
  }
  const auto& names = Names<T>::kNames;
  const auto found = std::find(names.begin(), names.end(), *text);
  value = static_cast<T>(found == names.end() ? 0 : found - names.begin());
}
void take(const object& from, const char* field, std::map<std::string, std::string>& value) {
  if (from.type != msgpack::type::MAP) {
    refuse(field, "a map");
  }
  value.clear();
  for (std::uint32_t i = 0; i < from.via.map.size; ++i) {
    std::string key;
    take(from.via.map.ptr[i].key, field, key);
    take(from.via.map.ptr[i].val, field, value[key]);
  }
}
bool is_integer(const object& value) {
  return value.type == msgpack::type::NEGATIVE_INTEGER ||
         (value.type == msgpack::type::POSITIVE_INTEGER &&
          std::in_range<std::int64_t>(value.via.u64));
}
// Open: a fact that is neither text nor a whole number is passed over.
void take(const object& from, const char* field, Facts& facts) {
  if (from.type != msgpack::type::MAP) {
    refuse(field, "a map");
  }
  facts.clear();
  for (std::uint32_t i = 0; i < from.via.map.size; ++i) {
    const auto name = text_in(from.via.map.ptr[i].key);
    const object& value = from.via.map.ptr[i].val;
    if (const auto text = text_in(value); name && text) {
      facts.emplace(*name, std::string(*text));
    } else if (name && is_integer(value)) {
      facts.emplace(*name, value.via.i64);
    }
  }
}
template <typename T>
void take(const object& from, const char* field, std::vector<T>& values);
template <Structured T>
void take(const object& from, const char* field, T& value);
void take(const object& from, const char* field, Event& event);

template <typename T>
void take(const object& from, const char* field, std::vector<T>& values) {
  if (from.type != msgpack::type::ARRAY) {
    refuse(field, "an array");
  }
  values.clear();
  values.reserve(from.via.array.size);
  for (std::uint32_t i = 0; i < from.via.array.size; ++i) {
    take(from.via.array.ptr[i], field, values.emplace_back());
  }
}

const object* find(const object& map, std::string_view name) {
  for (std::uint32_t i = 0; i < map.via.map.size; ++i) {
    const object& key = map.via.map.ptr[i].key;
    if (key.type == msgpack::type::STR &&
        std::string_view(key.via.str.ptr, key.via.str.size) == name) {
      return &map.via.map.ptr[i].val;
    }
  }
  return nullptr;
}

template <Structured T>
void take(const object& from, const char* field, T& value) {
  if (from.type != msgpack::type::MAP) {
    refuse(field, "a map");
  }
  Wire<T>::fields(value, [&](const char* name, auto& member) {
    if (const object* found = find(from, name)) {
      take(*found, name, member);
    }
  });
}

// The alternative of Variant that has this tag; false: none has.
template <typename Variant, std::size_t kIndex = 0>
bool take_tagged(std::string_view tag, const object& body, Variant& message) {
  if constexpr (kIndex == std::variant_size_v<Variant>) {
    return false;
  } else {
    using T = std::variant_alternative_t<kIndex, Variant>;
    if (tag != Wire<T>::kTag) {
      return take_tagged<Variant, kIndex + 1>(tag, body, message);
    }
    take(body, Wire<T>::kTag, message.template emplace<kIndex>());
    return true;
  }
}

template <typename Variant>
bool take_variant(const object& from, Variant& message) {
  if (from.type != msgpack::type::ARRAY || from.via.array.size != 2 ||
      from.via.array.ptr[0].type != msgpack::type::STR) {
    throw protocol_error("protocol.not_a_message",
                         "a message is an array of its tag and its fields, this is not");
  }
  const object& tag = from.via.array.ptr[0];
  return take_tagged({tag.via.str.ptr, tag.via.str.size}, from.via.array.ptr[1], message);
}

// An event of an unknown kind keeps its number: it becomes an empty notice.
void take(const object& from, const char* /*field*/, Event& event) {
  if (!take_variant(from, event)) {
    event = Notice{};
  }
}

template <typename Variant>
std::optional<Variant> unpack(std::string_view bytes, std::size_t bytes_max) {
  if (bytes.size() > bytes_max) {
    throw protocol_error("protocol.too_large", "a message header of {} bytes is beyond {}",
                         bytes.size(), bytes_max);
  }
  // array, map, str, bin, ext, depth
  const msgpack::unpack_limit limits(65536, 4096, bytes_max, bytes_max, 0, 16);
  try {
    std::size_t offset = 0;
    const msgpack::object_handle handle =
        msgpack::unpack(bytes.data(), bytes.size(), offset, nullptr, nullptr, limits);
    if (offset != bytes.size()) {
      throw protocol_error("protocol.trailing_bytes", "{} bytes follow a message",
                           bytes.size() - offset);
    }
    Variant message;
    if (!take_variant(handle.get(), message)) {
      return std::nullopt;
    }
    return message;
  } catch (const msgpack::unpack_error& error) {
    throw protocol_error("protocol.not_messagepack", "a message cannot be unpacked: {}",
                         std::string(error.what()));
  }
}

template <typename Variant>
const char* tag_of(const Variant& message) {
  return std::visit([]<typename T>(const T& /*value*/) { return Wire<T>::kTag; }, message);
}

}  // namespace

std::string pack(const Request& request) {
  return pack_tagged(request);
}
std::string pack(const Report& report) {
  return pack_tagged(report);
}
std::optional<Request> unpack_request(std::string_view bytes) {
  return unpack<Request>(bytes, kRequestBytesMax);
}
std::optional<Report> unpack_report(std::string_view bytes) {
  return unpack<Report>(bytes, kReportBytesMax);
}
const char* tag(const Request& request) {
  return tag_of(request);
}
const char* tag(const Report& report) {
  return tag_of(report);
}

}  // namespace mstune::protocol
