// The files of report_page/ and the charting library, built into mstune
// (scripts/cmake/embed.cmake).
#pragma once

#include <string_view>

namespace mstune::coordinator::embedded {

extern const std::string_view kPageTemplate;  // page.html, with @NAME@ where a part goes
extern const std::string_view kPageStyle;     // page.css
extern const std::string_view kPageWords;     // words.js
extern const std::string_view kPageCharts;    // charts.js
extern const std::string_view kPageScript;    // page.js
extern const std::string_view kChartLibrary;  // Chart.js (MIT), as Debian packages it

}  // namespace mstune::coordinator::embedded
