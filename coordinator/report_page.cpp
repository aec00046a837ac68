#include "coordinator/report_page.h"

#include <string_view>

#include "coordinator/embedded.h"

namespace mstune::coordinator {

std::string report_page(const ReportInput& input, Language language) {
  const std::string data = report_data(input, language);
  const std::map<std::string_view, std::string_view> parts{
      {"STYLE", embedded::kPageStyle},   {"DATA", data},
      {"WORDS", embedded::kPageWords},   {"CHART_LIBRARY", embedded::kChartLibrary},
      {"CHARTS", embedded::kPageCharts}, {"PAGE", embedded::kPageScript},
  };
  // Only the marks of the template count: what is put in may hold an '@' of its own.
  std::string page;
  std::string_view rest = embedded::kPageTemplate;
  for (;;) {
    const auto begin = rest.find('@');
    const auto end = begin == std::string_view::npos ? begin : rest.find('@', begin + 1);
    if (end == std::string_view::npos) {
      return page.append(rest);
    }
    const auto part = parts.find(rest.substr(begin + 1, end - begin - 1));
    page.append(rest.substr(0, part == parts.end() ? end : begin));
    if (part != parts.end()) {
      page.append(part->second);
    }
    rest.remove_prefix(part == parts.end() ? end : end + 1);
  }
}

}  // namespace mstune::coordinator
