// One agent as the coordinator sees it: socket, link and uploads together.
//
// The session polls its descriptors, calls step(), and gets what happened as values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/os/host_lookup.h"
#include "common/os/peer_probe.h"
#include "common/os/socket.h"
#include "common/os/source_file.h"
#include "common/os/worker.h"
#include "coordinator/bundle.h"
#include "coordinator/link.h"
#include "coordinator/reach.h"
#include "coordinator/upload.h"

namespace mstune::coordinator {

struct ReportArrived {
  protocol::Report report;
  std::string payload;
};
struct FileUploaded {
  FileId file = 0;
};
struct FileNotUploaded {
  FileId file = 0;
  Message why;
};
struct LinkUnreachable {  // for now; told once while it stays so
  Message why;
};
using ConnectionEvent = std::variant<LinkReady, LinkGone, LinkRefused, LinkUnreachable,
                                     ReportArrived, FileUploaded, FileNotUploaded>;

class Connection {
 public:
  // Files are read for sending on the worker. A host's name is looked up, which may take a while.
  // Throws a usage error for an address that is none.
  Connection(const std::string& endpoint, const std::optional<os::ConnectSecurity>& security,
             const std::string& campaign, const upload::Options& upload_options, os::Worker& worker,
             TimePoint now);

  // To be called before the agent has answered: whether it may keep what this campaign sends.
  void keep_files(bool keep) { link_.keep_files(keep); }
  // The same: what the campaign's trials will use there.
  void use_cann(std::string cann_env) { link_.use_cann(std::move(cann_env)); }

  // The same: the agent has answered with the pinned key before, so that what fails is the way.
  void trust_key() { reach_.trust(); }

  void send(const protocol::Request& request, std::string payload = {});
  void upload(FileId file, std::shared_ptr<UploadSource> source, TimePoint now);
  // Nobody wants it there any more.
  void stop_upload(FileId file, TimePoint now);

  // Whether uploads may go on when the connection is there again after a break. At first they may.
  void let_upload(bool may, TimePoint now);

  // Takes what arrived and does what is due.
  std::vector<ConnectionEvent> step(TimePoint now);

  // True when step() has something to tell or to send at once.
  [[nodiscard]] bool is_due() const {
    return !looked_up_ || !events_.empty() || !read_pieces_->empty();
  }

  // What to wait for, and whether it has come.
  void watch(os::PollSet& polled) const;
  [[nodiscard]] bool is_readable(const os::PollSet& polled) const;
  [[nodiscard]] TimePoint deadline() const;
  [[nodiscard]] std::uint64_t bytes_sent() const { return uploads_.bytes_sent(); }

 private:
  void look_at_connecting(TimePoint now);
  void look_at_probes(TimePoint now);
  [[nodiscard]] Silence silence() const;
  void take(protocol::Report report, std::string payload, TimePoint now);
  void carry_out(std::vector<LinkAction> actions, TimePoint now);
  void carry_out(std::vector<upload::Action> actions);
  void carry_out(std::vector<ReachAction> actions, TimePoint now);
  void send_piece(const upload::SendPiece& action);
  void send_read_pieces(TimePoint now);

  // A piece that the worker has read, or why not.
  struct ReadPiece {
    protocol::Piece piece;
    std::string bytes;
    std::optional<Message> failure;
  };

  os::Socket socket_;
  std::optional<os::HostLookup> lookup_;  // of a TCP address
  bool has_keys_ = false;
  Reach reach_;
  bool told_unreachable_ = false;
  bool looked_up_ = false;  // what became of the lookup was told
  std::vector<os::PeerProbe> probes_;
  std::size_t fetches_ = 0;  // that were not answered
  Link link_;
  upload::Machine uploads_;
  bool may_upload_ = true;
  bool uploads_wait_ = false;  // the link is ready, and they do not know
  os::Worker& worker_;
  std::map<FileId, std::shared_ptr<UploadSource>> sources_;
  std::shared_ptr<std::vector<ReadPiece>> read_pieces_;  // filled by the worker's results
  std::vector<ConnectionEvent> events_;
};

}  // namespace mstune::coordinator
