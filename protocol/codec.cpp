#include "protocol/codec.h"

#include <concepts>
#include <type_traits>
#include <utility>

#include <msgpack.hpp>

#include "common/error.h"
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
void put(Packer& out, const std::string& value) {
  out.pack(value);
}
void put(Packer& out, const Bytes& bytes) {
  out.pack_bin(static_cast<std::uint32_t>(bytes.value.size()));
  out.pack_bin_body(bytes.value.data(), static_cast<std::uint32_t>(bytes.value.size()));
}
void put(Packer& out, const std::map<std::string, std::string>& value) {
  out.pack(value);
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
void take(const object& from, const char* field, std::string& value) {
  if (from.type != msgpack::type::STR) {
    refuse(field, "a string");
  }
  value.assign(from.via.str.ptr, from.via.str.size);
}
void take(const object& from, const char* field, Bytes& bytes) {
  if (from.type != msgpack::type::BIN) {
    refuse(field, "binary");
  }
  bytes.value.assign(from.via.bin.ptr, from.via.bin.size);
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
std::optional<Variant> unpack(std::string_view bytes) {
  if (bytes.size() > kHeaderBytesMax) {
    throw protocol_error("protocol.too_large", "a message header of {} bytes is beyond {}",
                         bytes.size(), kHeaderBytesMax);
  }
  // array, map, str, bin, ext, depth
  const msgpack::unpack_limit limits(65536, 4096, kHeaderBytesMax, kHeaderBytesMax, 0, 16);
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
  return unpack<Request>(bytes);
}
std::optional<Report> unpack_report(std::string_view bytes) {
  return unpack<Report>(bytes);
}
const char* tag(const Request& request) {
  return tag_of(request);
}
const char* tag(const Report& report) {
  return tag_of(report);
}

}  // namespace mstune::protocol
