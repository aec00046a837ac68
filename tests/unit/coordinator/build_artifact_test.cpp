#include "coordinator/build_artifact.h"

#include <doctest/doctest.h>

namespace mstune::coordinator {
namespace {

using Files = std::vector<ArtifactFile>;

std::string found(const Files& before, const Files& after,
                  const std::string& directory = "/run/om") {
  const auto result = find_artifact({"model_cv", directory, "/run/om/c.log"}, before, after);
  if (const auto* why = std::get_if<Message>(&result)) {
    return why->id;
  }
  return std::get<std::string>(result);
}

TEST_CASE("build artifact: both of atc's names count") {
  CHECK(is_artifact_name("model_cv.om", "model_cv"));
  CHECK(is_artifact_name("model_cv_linux_x86_64.om", "model_cv"));
  CHECK(is_artifact_name("model_cv_linux_aarch64.om", "model_cv"));
  CHECK_FALSE(is_artifact_name("model_cv2.om", "model_cv"));
  CHECK_FALSE(is_artifact_name("model_cv_linux.om", "model_cv"));
  CHECK_FALSE(is_artifact_name("model_cv_linux_x86_64.om.om", "model_cv"));
  CHECK_FALSE(is_artifact_name("model_cv__x.om", "model_cv"));
  CHECK_FALSE(is_artifact_name("model_cv", "model_cv"));
  CHECK_FALSE(is_artifact_name(".om", "model_cv"));
  // One candidate's name may begin another's.
  CHECK_FALSE(is_artifact_name("model_LoadBalance16.om", "model_LoadBalance1"));
}

TEST_CASE("build artifact: only a file that this build wrote counts") {
  CHECK(found({}, {{"model_cv.om", "1"}}) == "model_cv.om");
  CHECK(found({{"model_cv.om", "1"}}, {{"model_cv.om", "2"}}) == "model_cv.om");
  CHECK(found({{"model_cv.om", "1"}}, {{"model_cv.om", "1"}}) == "build.left_over");
  CHECK(found({{"model_cv.om", "1"}}, {{"model_cv.om", "1"}, {"model_cv_linux_x86_64.om", "2"}}) ==
        "model_cv_linux_x86_64.om");
}

TEST_CASE("build artifact: none, several and a doubled suffix are told apart") {
  CHECK(found({}, {}) == "build.no_artifact");
  CHECK(found({}, {{"other.om", "1"}}) == "build.no_artifact");
  CHECK(found({}, {{"model_cv.om.om", "1"}}) == "build.doubled_suffix");
  CHECK(found({}, {{"model_cv.om", "1"}, {"model_cv_linux_x86_64.om", "1"}}) ==
        "build.several_artifacts");
}

}  // namespace
}  // namespace mstune::coordinator
