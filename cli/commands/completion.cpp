// SPDX-License-Identifier: MPL-2.0
// zlink completion: scripts for shells, made from the declared options.
#include <functional>
#include <memory>

#include "common/application.hpp"
#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

bool is_positional(const option_text &option) {
    return !option.names.front().starts_with("-");
}

template <class Texts> std::string joined(const Texts &texts, const std::string &between) {
    std::string all;
    for (const auto &text : texts)
        all += (all.empty() ? "" : between) + std::string(text);
    return all;
}

std::vector<std::string> visible_names() {
    std::vector<std::string> names;
    for (const auto &one : commands())
        if (!one.hidden)
            names.emplace_back(one.name);
    return names;
}

std::vector<std::string> option_names(const std::vector<option_text> &options) {
    std::vector<std::string> names;
    for (const auto &option : options)
        if (!is_positional(option))
            names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

// A quoted text of a shell; quotes inside end it, and begin it again.
std::string quoted(const std::string &text, const std::string &inner_quote) {
    std::string out = "'";
    for (const char character : text)
        out += character == '\'' ? inner_quote : std::string(1, character);
    return out + "'";
}

// `zlink run` is followed by another program, whose own completion is asked for.
std::string for_bash(const application &told) {
    std::string out =
        "# bash completion of zlink: source it, or put it into /usr/share/bash-completion/completions/zlink\n"
        "_zlink() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} "
        "command=${COMP_WORDS[1]}\n"
        "    COMPREPLY=()\n"
        "    if [ \"$word\" = = ]; then word=; fi\n"
        "    if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
    out += concat("        COMPREPLY=($(compgen -W \"", joined(visible_names(), " "),
                  " --help --version\" -- \"$word\"))\n",
                  "        return\n    fi\n    case \"$command $before\" in\n");
    std::string lists;
    for (const auto &name : visible_names()) {
        const auto options = told.options_of(name);
        lists += concat("        ", name, ") COMPREPLY=($(compgen -W \"", joined(option_names(options), " "),
                        "\" -- \"$word\")) ;;\n");
        for (const auto &option : options)
            for (const auto &spelling : option.names)
                if (!option.words.empty() && !is_positional(option))
                    out += concat("        \"", name, " ", spelling, "\") COMPREPLY=($(compgen -W \"",
                                  joined(option.words, " "), "\" -- \"$word\")); return ;;\n");
    }
    out += "    esac\n    if [[ $word == -* ]]; then\n        case $command in\n" + lists +
           "        esac\n        return\n    fi\n";
    out += "    case $command in\n"
           "        run) if declare -F _command_offset >/dev/null; then _command_offset 2; else "
           "COMPREPLY=($(compgen -c -- \"$word\")); fi ;;\n"
           "        completion) COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$word\")) ;;\n"
           "        proxy) COMPREPLY=($(compgen -W \"queue forwarder streamer\" -- \"$word\")) ;;\n"
           "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
           "    esac\n}\ncomplete -o filenames -F _zlink zlink\n";
    return out;
}

std::string zsh_text(std::string text) {
    for (std::size_t at = 0; at < text.size(); ++at)
        if (text[at] == '[' || text[at] == ']' || text[at] == ':' || text[at] == '\\')
            text.insert(at++, "\\");
    return text;
}

std::string for_zsh(const application &told) {
    std::string out = "#compdef zlink\n# zsh completion of zlink: put it into a folder of fpath under the "
                      "name _zlink\n_zlink() {\n"
                      "    local -a commands\n    commands=(\n";
    for (const auto &one : commands())
        if (!one.hidden)
            out += concat("        ", quoted(concat(one.name, ":", zsh_text(one.summary)), "'\\''"), "\n");
    out +=
        "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
        "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n";
    for (const auto &name : visible_names()) {
        out += concat("        ", name, ") _arguments");
        for (const auto &option : told.options_of(name)) {
            if (is_positional(option))
                continue;
            for (const auto &spelling : option.names) {
                auto spec =
                    concat(option.value_name.empty() ? "" : "*", spelling, "[", zsh_text(option.text), "]");
                if (!option.words.empty())
                    spec += concat(":value:(", joined(option.words, " "), ")");
                else if (!option.value_name.empty())
                    spec += concat(":", zsh_text(option.value_name), ":",
                                   option.value_name == "FILE" ? "_files" : "");
                out += " \\\n            " + quoted(spec, "'\\''");
            }
        }
        const auto *rest = name == "run"          ? "*:::program:_normal"
                           : name == "completion" ? "1:shell:(bash zsh fish)"
                           : name == "proxy"      ? "1:kind:(queue forwarder streamer)"
                                                  : "*:file:_files";
        out += concat(" \\\n            '", rest, "' ;;\n");
    }
    return out + "    esac\n}\n_zlink \"$@\"\n";
}

std::string for_fish(const application &told) {
    std::string out = "# fish completion of zlink: put it into ~/.config/fish/completions/zlink.fish\n";
    for (const auto &one : commands())
        if (!one.hidden)
            out += concat("complete -c zlink -n __fish_use_subcommand -f -a ", one.name, " -d ",
                          quoted(one.summary, "\\'"), "\n");
    for (const auto &name : visible_names()) {
        const auto when = concat("complete -c zlink -n '__fish_seen_subcommand_from ", name, "'");
        for (const auto &option : told.options_of(name)) {
            if (is_positional(option))
                continue;
            out += when;
            for (const auto &spelling : option.names)
                out += spelling.starts_with("--") ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
            if (!option.words.empty())
                out += concat(" -x -a '", joined(option.words, " "), "'");
            else if (!option.value_name.empty())
                out += " -r";
            out += " -d " + quoted(option.text, "\\'") + "\n";
        }
    }
    out += "complete -c zlink -n '__fish_seen_subcommand_from run' -x -a '(__fish_complete_subcommand "
           "--fcs-skip=2)'\n"
           "complete -c zlink -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n"
           "complete -c zlink -n '__fish_seen_subcommand_from proxy' -f -a 'queue forwarder streamer'\n";
    return out;
}

struct shell {
    const char *name;
    std::string (*script)(const application &);
};

constexpr shell shells[] = {{"bash", for_bash}, {"zsh", for_zsh}, {"fish", for_fish}};

} // namespace

action declare_completion(arguments &declared) {
    auto name = std::make_shared<std::string>();
    declared.option("SHELL", *name, "bash|zsh|fish", "The shell");
    return [name] {
        for (const auto &row : shells) {
            if (*name != row.name)
                continue;
            output out;
            out.write(row.script(application()));
            out.flush();
            return int(status_done);
        }
        throw failure("for which shell? write: zlink completion bash, zsh or fish", status_usage);
    };
}

} // namespace cli
