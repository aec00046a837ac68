#include "agent/campaign_files.h"

#include <algorithm>
#include <numeric>

namespace mstune::agent {

void CampaignFiles::arrive(const std::string& campaign, const std::string& client,
                           bool keep_files) {
  Campaign& known = campaigns_[campaign];
  known.client = client;
  known.keep_files = keep_files;
  known.over_at = kNever;
}

bool CampaignFiles::add(const std::string& campaign, const Digest& identity, std::uint64_t bytes) {
  std::map<Digest, std::uint64_t>& files = campaigns_[campaign].files;
  if (const auto known = files.find(identity); known != files.end()) {
    known->second = std::max(known->second, bytes);
    return false;
  }
  return files.size() < kFilesMax && files.emplace(identity, bytes).second;
}

bool CampaignFiles::remove(const std::string& campaign, const Digest& identity) {
  const auto found = campaigns_.find(campaign);
  return found != campaigns_.end() && found->second.files.erase(identity) > 0;
}

std::uint64_t CampaignFiles::bytes_of(const std::string& client) const {
  std::map<Digest, std::uint64_t> files;
  for (const auto& [name, campaign] : campaigns_) {
    if (campaign.client == client) {
      files.insert(campaign.files.begin(), campaign.files.end());
    }
  }
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& file) { return sum + file.second; });
}

void CampaignFiles::lose(const std::string& campaign, TimePoint until) {
  if (const auto found = campaigns_.find(campaign); found != campaigns_.end()) {
    found->second.over_at = until;
  }
}

bool CampaignFiles::is_needed(const Digest& identity) const {
  return std::any_of(campaigns_.begin(), campaigns_.end(),
                     [&](const auto& entry) { return entry.second.files.contains(identity); });
}

FilesLeft CampaignFiles::end(const std::string& campaign) {
  FilesLeft left;
  auto node = campaigns_.extract(campaign);
  if (node.empty()) {
    return left;
  }
  const Campaign& over = node.mapped();
  for (const auto& [identity, bytes] : over.files) {
    left.unneeded.push_back(identity);
    if (!over.keep_files && !is_needed(identity)) {
      left.unwanted.push_back(identity);
    }
  }
  return left;
}

FilesLeft CampaignFiles::expire(TimePoint now) {
  std::vector<std::string> over;
  for (const auto& [name, campaign] : campaigns_) {
    if (now >= campaign.over_at) {
      over.push_back(name);
    }
  }
  FilesLeft all;
  for (const std::string& name : over) {
    const FilesLeft left = end(name);
    all.unneeded.insert(all.unneeded.end(), left.unneeded.begin(), left.unneeded.end());
    all.unwanted.insert(all.unwanted.end(), left.unwanted.begin(), left.unwanted.end());
  }
  return all;
}

TimePoint CampaignFiles::deadline() const {
  TimePoint earliest = kNever;
  for (const auto& [name, campaign] : campaigns_) {
    earliest = std::min(earliest, campaign.over_at);
  }
  return earliest;
}

}  // namespace mstune::agent
