#include "agent/campaign_files.h"

#include <algorithm>

namespace mstune::agent {

void CampaignFiles::arrive(const std::string& campaign, bool keep_files) {
  Campaign& known = campaigns_[campaign];
  known.keep_files = keep_files;
  known.over_at = kNever;
}

bool CampaignFiles::add(const std::string& campaign, const Digest& identity) {
  std::set<Digest>& files = campaigns_[campaign].files;
  return files.size() < kFilesMax && files.insert(identity).second;
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
  left.unneeded.assign(over.files.begin(), over.files.end());
  if (!over.keep_files) {
    std::copy_if(over.files.begin(), over.files.end(), std::back_inserter(left.unwanted),
                 [&](const Digest& identity) { return !is_needed(identity); });
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
