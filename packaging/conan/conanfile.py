# SPDX-License-Identifier: MPL-2.0
"""Recipe for Conan 2: conan create packaging/conan"""
import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, rmdir


class Zlink(ConanFile):
    name = "zlink"
    version = "0.1.0"
    license = "MPL-2.0"
    description = "Brokerless messaging with the interface of libzmq"
    topics = ("messaging", "zeromq", "zmtp", "asio")
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "compat": [True, False], "command": [True, False], "dns": [True, False]}
    default_options = {"shared": True, "compat": False, "command": False, "dns": True}
    package_type = "library"

    def export_sources(self):
        top = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "src/*", "include/*", "cli/*"):
            copy(self, pattern, src=top, dst=self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            from conan.errors import ConanInvalidConfiguration
            raise ConanInvalidConfiguration("zlink runs on Linux only")

    def requirements(self):
        self.requires("boost/[>=1.74]", headers=True, libs=False)
        self.requires("libsodium/[>=1.0.18]")
        self.requires("openssl/[>=3 <4]")
        if self.options.dns:
            self.requires("c-ares/[>=1.18 <2]")
        if self.options.command:
            self.requires("cli11/[>=2.1 <3]")
            self.requires("nlohmann_json/[>=3.9 <4]")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["ZLINK_COMPAT"] = bool(self.options.compat)
        toolchain.cache_variables["ZLINK_BUILD_CLI"] = bool(self.options.command)
        toolchain.cache_variables["ZLINK_MANUAL"] = False
        toolchain.cache_variables["ZLINK_DNS"] = bool(self.options.dns)
        needed = [self.dependencies[name] for name in ("libsodium", "c-ares") if name in self.dependencies]
        folders = [one.package_folder for one in needed if one.package_folder]
        if folders:
            toolchain.cache_variables["CMAKE_PREFIX_PATH"] = ";".join(folders)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        library = os.path.join(self.package_folder, "lib")
        for folder in ("cmake", "pkgconfig"):  # Conan writes its own
            rmdir(self, os.path.join(library, folder))
        for name in os.listdir(library):
            if name.startswith("libzlink.a" if self.options.shared else "libzlink.so"):
                os.remove(os.path.join(library, name))

    def package_info(self):
        self.cpp_info.libs = ["zlink"]
        self.cpp_info.set_property("cmake_file_name", "zlink")
        self.cpp_info.set_property("cmake_target_name", "zlink::zlink" if self.options.shared else "zlink::zlink_static")
        self.cpp_info.set_property("pkg_config_name", "libzlink")
        if not self.options.shared:
            self.cpp_info.system_libs = ["pthread", "dl", "m", "stdc++"]
            # A package of the system in the place of Conan's has no folder, and tells no linker what it has.
            needed = {"libsodium": ["sodium"], "openssl": ["ssl", "crypto"], **({"c-ares": ["cares"]} if self.options.dns else {})}
            for name, libraries in needed.items():
                if name not in self.dependencies or not self.dependencies[name].package_folder:
                    self.cpp_info.system_libs += libraries
