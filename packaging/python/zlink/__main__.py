# SPDX-License-Identifier: MPL-2.0
from zlink import main

if __name__ == "__main__":
    main()
