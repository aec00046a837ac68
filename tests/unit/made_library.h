// Shared libraries that hold what a test needs and nothing that would run.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace mstune {

template <typename T>
void append_bytes(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline Elf64_Shdr made_section(std::uint32_t type, std::uint64_t offset, std::uint64_t size,
                               std::uint32_t link) {
  Elf64_Shdr header{};
  header.sh_type = type;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_link = link;
  return header;
}

// A library with one dependency and one symbol, and nothing that would run.
enum class Symbol { wanted, offered };

inline std::string made_library(std::uint16_t machine, const std::string& needed,
                                const std::string& symbol, Symbol kind = Symbol::wanted) {
  std::string strings(1, '\0');
  const std::uint64_t needed_at = strings.size();
  strings += needed + '\0';
  const std::uint64_t symbol_at = strings.size();
  strings += symbol + '\0';

  std::string dynamic;
  Elf64_Dyn entry{};
  entry.d_tag = DT_NEEDED;
  entry.d_un.d_val = needed_at;
  append_bytes(dynamic, entry);
  append_bytes(dynamic, Elf64_Dyn{});
  std::string symbols;
  append_bytes(symbols, Elf64_Sym{});
  Elf64_Sym wanted{};
  wanted.st_name = static_cast<std::uint32_t>(symbol_at);
  wanted.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
  wanted.st_shndx = kind == Symbol::offered ? 1 : SHN_UNDEF;
  append_bytes(symbols, wanted);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = machine;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  const std::uint64_t strings_at = sizeof header;
  const std::uint64_t dynamic_at = strings_at + strings.size();
  const std::uint64_t symbols_at = dynamic_at + dynamic.size();
  header.e_shoff = symbols_at + symbols.size();

  std::string bytes;
  append_bytes(bytes, header);
  bytes += strings + dynamic + symbols;
  append_bytes(bytes, made_section(SHT_NULL, 0, 0, 0));
  append_bytes(bytes, made_section(SHT_STRTAB, strings_at, strings.size(), 0));
  append_bytes(bytes, made_section(SHT_DYNAMIC, dynamic_at, dynamic.size(), 1));
  append_bytes(bytes, made_section(SHT_DYNSYM, symbols_at, symbols.size(), 1));
  return bytes;
}

}  // namespace mstune
