// Which campaign needs which stored files, from its first offer until it is over. Pure.
//
// A campaign's trials come one after the other: between two of them nothing runs that would need
// its OMs, and yet they must not go to make room for somebody else's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/digest.h"
#include "common/time.h"

namespace mstune::agent {

// What becomes of the files of a campaign that is over.
struct FilesLeft {
  std::vector<Digest> unneeded;  // each was held once
  std::vector<Digest> unwanted;  // of these, to be dropped now and not just when room is needed
};

class CampaignFiles {
 public:
  // A campaign of this client said hello, perhaps again.
  void arrive(const std::string& campaign, const std::string& client, bool keep_files);
  // True when this file of it is new: hold it. Beyond kFilesMax of one campaign nothing is held. 0
  // bytes: its size is not known.
  bool add(const std::string& campaign, const Digest& identity, std::uint64_t bytes);
  // It was refused and counts no more. True when it was held: let it go.
  bool remove(const std::string& campaign, const Digest& identity);
  // What this client's campaigns hold, each file once.
  [[nodiscard]] std::uint64_t bytes_of(const std::string& client) const;
  // Its coordinator is silent: it is over at `until` unless it comes back.
  void lose(const std::string& campaign, TimePoint until);

  FilesLeft end(const std::string& campaign);
  // Those whose time is up.
  FilesLeft expire(TimePoint now);
  [[nodiscard]] TimePoint deadline() const;

  static constexpr std::size_t kFilesMax = 4096;

 private:
  struct Campaign {
    std::string client;
    bool keep_files = true;
    TimePoint over_at = kNever;
    std::map<Digest, std::uint64_t> files;  // and their sizes
  };

  [[nodiscard]] bool is_needed(const Digest& identity) const;

  std::map<std::string, Campaign> campaigns_;
};

}  // namespace mstune::agent
