#include "common/shared_library.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace mstune {
namespace {

// Reads a T at `offset`; nothing where `bytes` ends before it does.
template <typename T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::optional<Elf64_Ehdr> read_header(std::string_view bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_type != ET_DYN || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  return header;
}

std::optional<Elf64_Shdr> read_section(std::string_view bytes, const Elf64_Ehdr& header,
                                       std::uint64_t number) {
  if (number >= header.e_shnum || header.e_shoff > bytes.size()) {
    return std::nullopt;
  }
  return read_at<Elf64_Shdr>(bytes, header.e_shoff + number * sizeof(Elf64_Shdr));
}

// The bytes of a section; empty when they are not all there.
std::string_view content_of(std::string_view bytes, const Elf64_Shdr& section) {
  if (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset) {
    return {};
  }
  return bytes.substr(section.sh_offset, section.sh_size);
}

std::string name_at(std::string_view strings, std::uint64_t offset) {
  if (offset >= strings.size()) {
    return {};
  }
  const std::string_view rest = strings.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

void add_needed(std::string_view entries, std::string_view strings, SharedLibrary& library) {
  for (std::uint64_t at = 0; at < entries.size(); at += sizeof(Elf64_Dyn)) {
    const auto entry = read_at<Elf64_Dyn>(entries, at);
    if (!entry || entry->d_tag == DT_NULL) {
      return;
    }
    if (entry->d_tag == DT_NEEDED) {
      library.needed.push_back(name_at(strings, entry->d_un.d_val));
    }
  }
}

void add_symbols(std::string_view entries, std::string_view strings, SharedLibrary& library) {
  for (std::uint64_t at = 0; at < entries.size(); at += sizeof(Elf64_Sym)) {
    const auto entry = read_at<Elf64_Sym>(entries, at);
    if (!entry) {
      return;
    }
    if (entry->st_name == 0) {
      continue;
    }
    library.symbols.push_back(name_at(strings, entry->st_name));
    const unsigned char binding = ELF64_ST_BIND(entry->st_info);
    const unsigned char visibility = ELF64_ST_VISIBILITY(entry->st_other);
    if (entry->st_shndx != SHN_UNDEF && (binding == STB_GLOBAL || binding == STB_WEAK) &&
        (visibility == STV_DEFAULT || visibility == STV_PROTECTED)) {
      library.exports.push_back(library.symbols.back());
    }
  }
}

std::string architecture_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    default:
      return fmt::format("machine {}", machine);
  }
}

}  // namespace

std::optional<SharedLibrary> read_shared_library(std::string_view bytes) {
  const auto header = read_header(bytes);
  if (!header) {
    return std::nullopt;
  }
  SharedLibrary library;
  library.architecture = architecture_name(header->e_machine);
  bool is_dynamic = false;
  for (std::uint64_t number = 0; number < header->e_shnum; ++number) {
    const auto section = read_section(bytes, *header, number);
    if (!section) {
      return std::nullopt;
    }
    if (section->sh_type != SHT_DYNAMIC && section->sh_type != SHT_DYNSYM) {
      continue;
    }
    const auto names = read_section(bytes, *header, section->sh_link);
    if (!names) {
      return std::nullopt;
    }
    const std::string_view entries = content_of(bytes, *section);
    const std::string_view strings = content_of(bytes, *names);
    if (section->sh_type == SHT_DYNAMIC) {
      is_dynamic = true;
      add_needed(entries, strings, library);
    } else {
      add_symbols(entries, strings, library);
    }
  }
  return is_dynamic ? std::optional(std::move(library)) : std::nullopt;
}

bool is_tuning_pass(const SharedLibrary& library) {
  return std::find(library.exports.begin(), library.exports.end(), kPassSymbol) !=
         library.exports.end();
}

// The constructor takes the pass's name as a std::string, and the mangled name spells which one.
std::string_view registration_abi(const SharedLibrary& library) {
  constexpr std::string_view kConstructor = "20PassRegistrationDataC";
  for (const std::string& symbol : library.symbols) {
    const auto found = symbol.find(kConstructor);
    if (found == std::string::npos) {
      continue;
    }
    const std::string_view parameters = std::string_view(symbol).substr(found);
    if (parameters.find("7__cxx11") != std::string_view::npos) {
      return kNewString;
    }
    if (parameters.find("ESs") != std::string_view::npos) {
      return kOldString;
    }
  }
  return {};
}

}  // namespace mstune
