// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/pem.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <openssl/pem.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/wipe.hpp"
#include "transport/descriptor_guard.hpp"

namespace zlink::transport {
namespace {

constexpr std::size_t largest_file = 4 * 1024 * 1024; // bytes; a bundle of all public authorities has 0.2 MiB

bool is_text(std::string_view given) noexcept {
    return given.find("-----BEGIN ") != given.npos;
}

// The text of an option, wiped at the end if it came from a file.
class pem_text {
  public:
    pem_text() = default;
    pem_text(const pem_text &) = delete;
    pem_text &operator=(const pem_text &) = delete;
    ~pem_text() { wipe(read_); }

    result<void> find(const std::string &given) {
        if (!is_text(given)) {
            if (const auto done = read(given); !done)
                return done;
        } else {
            text_ = given;
        }
        const bool usable = !text_.empty() && text_.size() <= largest_file;
        return usable ? result<void>() : error{EINVAL};
    }
    [[nodiscard]] bio_handle open() const noexcept {
        return bio_handle(BIO_new_mem_buf(text_.data(), static_cast<int>(text_.size())));
    }

  private:
    result<void> read(const std::string &path) {
        const descriptor_guard file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        struct stat about {};
        if (file.get() < 0 || ::fstat(file.get(), &about) != 0)
            return error{errno};
        if (!S_ISREG(about.st_mode) || about.st_size > static_cast<off_t>(largest_file))
            return error{EINVAL};
        read_.resize(static_cast<std::size_t>(about.st_size));
        std::size_t size = 0;
        while (size < read_.size()) {
            const ssize_t got = ::read(file.get(), read_.data() + size, read_.size() - size);
            if (got < 0 && errno != EINTR)
                return error{errno};
            if (got == 0)
                break;
            size += got > 0 ? static_cast<std::size_t>(got) : 0;
        }
        text_ = std::string_view(read_).substr(0, size);
        return {};
    }

    std::string read_;
    std::string_view text_;
};

struct password_request {
    std::string_view password;
    bool asked = false;
};

// For OpenSSL: returns the size of the password; -1: there is none.
int tell_password(char *room, int size, int, void *request) noexcept {
    auto &asked = *static_cast<password_request *>(request);
    asked.asked = true;
    if (asked.password.empty() || asked.password.size() > static_cast<std::size_t>(std::max(size, 0)))
        return -1;
    std::memcpy(room, asked.password.data(), asked.password.size());
    return static_cast<int>(asked.password.size());
}

// Finds the text and opens it for OpenSSL.
result<bio_handle> open(const openssl_use &use, pem_text &text, const std::string &given) {
    if (!use)
        return error{errc::terminated};
    if (const auto found = text.find(given); !found)
        return error{found.code()};
    bio_handle opened = text.open();
    if (!opened || openssl_library() == nullptr)
        return error{ENOMEM};
    return opened;
}

// Without tell_password() OpenSSL would ask the terminal for the password of an encrypted block, and wait.
certificate_handle next_certificate(BIO *from) noexcept {
    certificate_handle made(X509_new_ex(openssl_library(), nullptr));
    X509 *target = made.get();
    password_request nobody;
    if (target == nullptr || PEM_read_bio_X509(from, &target, tell_password, &nobody) == nullptr) {
        if (target == nullptr) // it was freed
            (void)made.release();
        return nullptr;
    }
    return made;
}

// As above.
revocations_handle next_revocations(BIO *from) noexcept {
    revocations_handle made(X509_CRL_new_ex(openssl_library(), nullptr));
    X509_CRL *target = made.get();
    password_request nobody;
    if (target == nullptr || PEM_read_bio_X509_CRL(from, &target, tell_password, &nobody) == nullptr) {
        if (target == nullptr) // it was freed
            (void)made.release();
        return nullptr;
    }
    return made;
}

// All blocks of one kind.
template <class Handle>
result<std::vector<Handle>> read_all(const std::string &given, Handle (*next)(BIO *) noexcept) {
    const openssl_use use;
    pem_text text;
    const auto opened = open(use, text, given);
    if (!opened)
        return error{opened.code()};
    std::vector<Handle> all;
    while (Handle one = next(opened->get()))
        all.push_back(std::move(one));
    // The list ends where no further block begins; another reason is a damaged block.
    const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    if (all.empty() || !at_end)
        return error{EINVAL};
    return all;
}

} // namespace

file_stamp stamp_of(const std::string &given) noexcept {
    struct stat about {};
    if (given.empty() || is_text(given) || ::stat(given.c_str(), &about) != 0)
        return {};
    return {about.st_dev, about.st_ino, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
}

result<std::vector<certificate_handle>> read_certificates(const std::string &given) {
    return read_all(given, next_certificate);
}

result<std::vector<revocations_handle>> read_revocations(const std::string &given) {
    return read_all(given, next_revocations);
}

result<key_handle> read_key(const std::string &given, std::string_view password) {
    const openssl_use use;
    pem_text text;
    const auto opened = open(use, text, given);
    if (!opened)
        return error{opened.code()};
    const bio_handle &from = *opened;
    password_request request{password};
    key_handle key(
        PEM_read_bio_PrivateKey_ex(from.get(), nullptr, tell_password, &request, openssl_library(), nullptr));
    if (!key)
        return error{request.asked ? EPERM : EINVAL};
    return key;
}

} // namespace zlink::transport
