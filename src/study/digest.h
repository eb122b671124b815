// SHA-256 over parts, each with its length before it, so that two parts never run together.
#ifndef WW_DIGEST_H
#define WW_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

enum { DIGEST_BYTES = 65 }; // 64 hexadecimal digits and a NUL
struct digest {
    void *md; // OpenSSL's context, or NULL
    bool ok;
};

// Takes memory until digest_end. A failure shows at digest_end.
void digest_start(struct digest *h);
void digest_feed(struct digest *h, const void *data, size_t len);
void digest_text(struct digest *h, const char *text);
// Writes the digest and releases what digest_start took. False, and an empty text, when SHA-256
// failed on the way.
bool digest_end(struct digest *h, char out[DIGEST_BYTES]);

#endif
