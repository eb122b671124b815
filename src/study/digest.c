// The digests of this room: keys of jobs, and checksums of results that are kept.
#include "study/digest.h"

#include <openssl/evp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void digest_start(struct digest *h) {
    h->md = EVP_MD_CTX_new();
    h->ok = h->md && EVP_DigestInit_ex(h->md, EVP_sha256(), NULL) == 1;
}

void digest_feed(struct digest *h, const void *data, size_t len) {
    const uint64_t n = len;
    h->ok = h->ok && EVP_DigestUpdate(h->md, &n, sizeof n) == 1 &&
            EVP_DigestUpdate(h->md, data, len) == 1;
}

void digest_text(struct digest *h, const char *text) { digest_feed(h, text, strlen(text)); }

bool digest_end(struct digest *h, char out[DIGEST_BYTES]) {
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    const bool ok = h->ok && EVP_DigestFinal_ex(h->md, sum, &n) == 1 && 2 * n + 1 == DIGEST_BYTES;
    out[0] = 0;
    for (unsigned i = 0; ok && i < n; i++) snprintf(out + 2 * i, 3, "%02x", sum[i]);
    EVP_MD_CTX_free(h->md);
    h->md = NULL;
    return ok;
}
