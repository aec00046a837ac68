// The language in which this process speaks to people.
//
// Chosen once, by main, before anything is said: like the locale of a C program. Documents (JSON,
// CSV) and what crosses the wire stay English; only what a person reads goes through said().
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/catalogue.h"

namespace mstune {

enum class Language { english, chinese };

// "en", "zh": as --lang takes it.
std::string_view word(Language language);

// What --lang among the arguments asks for ("--lang zh", "--lang=zh"), else what the environment's
// LC_ALL, LC_MESSAGES or LANG says, the first that is set. `environment` holds "NAME=value". A word
// that is not known is English here: the command line refuses it later.
Language chosen_language(std::span<const std::string> arguments,
                         std::span<const std::string> environment);

void speak(Language language);
Language spoken();

// The embedded catalogue; English has an empty one, because its texts stand in the sources.
const Catalogue& catalogue(Language language);

std::string text_in(Language language, const Message& message);

// The message in the language of this process.
std::string said(const Message& message);

}  // namespace mstune
