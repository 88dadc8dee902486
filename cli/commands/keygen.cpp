// SPDX-License-Identifier: MPL-2.0
// zlink keygen: a pair of keys for CURVE.
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/secrets.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct keygen_options {
    std::string public_file, secret_file;
    bool force{false};
};

// Only the owner may read a secret. A file that is replaced is removed first, so that it keeps neither its
// mode nor its readers.
void write_key(const std::string &path, const std::string &key, mode_t mode, bool replace) {
    if (replace && unlink(path.c_str()) != 0 && errno != ENOENT)
        throw file_failure("replace", path, errno);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0 && errno == EEXIST)
        throw failure(concat(path, " exists: take another name, or --force to replace it"));
    if (file < 0)
        throw file_failure("make", path, errno);
    const std::string line = key + "\n";
    const bool written = write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    const int error = errno;
    if (close(file) != 0 || !written)
        throw file_failure("write", path, error);
}

void refuse_existing(const std::string &path) {
    struct stat found {};
    if (!path.empty() && lstat(path.c_str(), &found) == 0)
        throw failure(concat(path, " exists: take another name, or --force to replace it"));
}

int run_keygen(const keygen_options &options) {
    if (!options.public_file.empty() && options.public_file == options.secret_file)
        throw failure("the two keys need two files", status_usage);
    // Neither file is written if one of them is in the way.
    if (!options.force) {
        refuse_existing(options.secret_file);
        refuse_existing(options.public_file);
    }
    const auto pair = make_key_pair();
    // A pair is whole, or not there. A secret that is replaced is lost only if nothing else can fail.
    if (!options.public_file.empty())
        write_key(options.public_file, pair.public_key, 0644, options.force);
    try {
        if (!options.secret_file.empty())
            write_key(options.secret_file, pair.secret_key, 0600, options.force);
    } catch (const failure &) {
        if (!options.public_file.empty())
            unlink(options.public_file.c_str());
        throw;
    }
    output out;
    if (options.public_file.empty())
        out.write(concat("public ", pair.public_key, "\n"));
    if (options.secret_file.empty())
        out.write(concat("secret ", pair.secret_key, "\n"));
    out.flush();
    return status_done;
}

} // namespace

action declare_keygen(arguments &declared) {
    auto options = std::make_shared<keygen_options>();
    declared.option("--public", options->public_file, "FILE",
                    "Write the public key to this file, in place of the output");
    declared.option("--secret", options->secret_file, "FILE",
                    "Write the secret key to this file (mode 0600), in place of the output");
    declared.flag("--force", options->force, "Replace files that exist");
    return [options] { return run_keygen(*options); };
}

} // namespace cli
