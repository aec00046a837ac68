// A small world for the transfer of files: senders, one receiver with a real store, connections
// that break and an agent that is killed, all drawn from one seed, on a clock of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "agent/download.h"
#include "agent/store.h"
#include "agent/store_job.h"
#include "coordinator/upload.h"
#include "tests/unit/agent/store_fixture.h"

namespace mstune {

struct WorldOptions {
  std::size_t senders = 1;
  unsigned break_permille = 0;    // chance of each step to break a connection
  unsigned restart_permille = 0;  // chance of each step to kill the agent
  unsigned faults_max = 6;
  unsigned measure_permille = 0;  // chance of each step that other programs are measured now
  std::uint64_t window_bytes = 2 * protocol::kPieceBytesMax;
};

class TransferWorld {
 public:
  TransferWorld(std::filesystem::path store, std::vector<agent::Content> files,
                const WorldOptions& options, std::uint64_t seed);

  // Runs until every sender has finished, or `steps_max` steps are over: false.
  bool run(std::size_t steps_max);

  [[nodiscard]] std::uint64_t bytes_sent() const;
  [[nodiscard]] unsigned faults() const { return faults_; }
  [[nodiscard]] std::uint64_t bytes_under_way_max() const { return under_way_max_; }
  [[nodiscard]] std::size_t uploaded() const { return uploaded_; }
  [[nodiscard]] const std::vector<Message>& failures() const { return failures_; }
  agent::Store& store() { return *store_; }

 private:
  struct Packet {
    std::variant<coordinator::upload::Outgoing, protocol::Piece> message;
    std::string payload;
  };
  struct Sender {
    coordinator::upload::Machine machine;
    agent::SessionId session = 0;
    std::deque<Packet> to_agent;
    std::deque<agent::download::Outgoing> from_agent;
  };
  struct Job {
    agent::download::StoreJob job;
    std::string payload;
  };

  void act(Sender& sender, const coordinator::upload::Event& event);
  void act(const agent::download::Event& event, std::string payload = {});
  void step();
  void deliver_to_agent(Sender& sender);
  void deliver_to_sender(Sender& sender);
  void do_job();
  void connect(Sender& sender);
  void break_connection(Sender& sender);
  void restart_agent();
  void measure_others();
  void wait_for_deadline();
  void note_under_way();
  bool chance(unsigned permille) { return random_() % 1000 < permille; }

  std::filesystem::path path_;
  std::vector<agent::Content> files_;
  WorldOptions options_;
  std::mt19937_64 random_;
  TimePoint now_{std::chrono::hours(1)};
  std::optional<agent::Store> store_;
  std::optional<agent::download::Machine> receiver_;
  std::deque<Job> jobs_;
  std::vector<Sender> senders_;
  agent::SessionId last_session_ = 0;
  unsigned faults_ = 0;
  std::uint64_t under_way_max_ = 0;
  std::size_t uploaded_ = 0;
  std::vector<Message> failures_;
};

}  // namespace mstune
