// Activity as XML:
//
//     <activity format="1" gpu="gt240" core_mhz="670">
//       <kernel name="k" seconds="1e-3">
//         <stat name="cycles" value="670000" unit="core cycles"/>
//         <stat name="thread_by_class.int_add" value="1000"/>
//
// No entities, no network, no other files: the parser is told so.
#include "report/activity_sink.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>

// GPUSimPow's activity factors that our writer adds for its readers: made from the counters.
static const char *const derived[] = {"af_generated_gmem_reads", "af_rdsch_percent"};

static uint32_t line_of(const xmlNode *n) {
    const long line = xmlGetLineNo(n);
    return line > 0 ? (uint32_t)line : 0;
}

static bool is(const xmlNode *n, const char *name) {
    return strcmp((const char *)n->name, name) == 0;
}

// Attribute's text in the arena, or NULL.
static const char *attribute(struct activity_sink *s, xmlNode *n, const char *name) {
    xmlChar *v = xmlGetNoNsProp(n, BAD_CAST name);
    const char *text = v ? arena_strdup(s->arena, (const char *)v) : NULL;
    xmlFree(v);
    return text;
}

static void check_attributes(struct activity_sink *s, const xmlNode *n, const char *const *known,
                             size_t count) {
    for (const xmlAttr *a = n->properties; a && s->status == WW_OK; a = a->next) {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            found = found || strcmp((const char *)a->name, known[i]) == 0;
        if (found) continue;
        const int near = text_nearest((const char *)a->name, known, count);
        sink_refuse(s, line_of(n), "<%.60s> has no attribute `%.60s`%s%s%s", (const char *)n->name,
                    (const char *)a->name, near >= 0 ? "; did you mean `" : "",
                    near >= 0 ? known[near] : "", near >= 0 ? "`?" : "");
    }
}

static void read_stat(struct activity_sink *s, xmlNode *n) {
    static const char *const known[] = {"name", "value", "unit"};
    check_attributes(s, n, known, WW_COUNT(known));
    const char *name = attribute(s, n, "name"), *value = attribute(s, n, "value");
    if (!name || !value) {
        sink_refuse(s, line_of(n), "<stat> lacks its %s", name ? "value" : "name");
        return;
    }
    for (size_t i = 0; i < WW_COUNT(derived); i++)
        if (strcmp(name, derived[i]) == 0) return;
    sink_counter(s, line_of(n), name, NULL, value, attribute(s, n, "unit"));
}

static void read_stats(struct activity_sink *s, xmlNode *parent) {
    for (xmlNode *n = parent->children; n && s->status == WW_OK; n = n->next) {
        if (n->type == XML_COMMENT_NODE || xmlIsBlankNode(n)) continue;
        if (n->type == XML_ELEMENT_NODE && is(n, "stat"))
            read_stat(s, n);
        else
            sink_refuse(s, line_of(n), "found %s%.60s%s in <%.60s>: expected <stat>",
                        n->type == XML_ELEMENT_NODE ? "<" : "",
                        n->type == XML_ELEMENT_NODE ? (const char *)n->name : "text",
                        n->type == XML_ELEMENT_NODE ? ">" : "", (const char *)parent->name);
    }
}

static void read_kernel(struct activity_sink *s, xmlNode *n) {
    static const char *const known[] = {"name", "launch", "seconds"};
    check_attributes(s, n, known, WW_COUNT(known));
    const char *name = attribute(s, n, "name"), *launch = attribute(s, n, "launch"),
               *seconds = attribute(s, n, "seconds");
    uint64_t id = 0;
    if (launch && (!text_to_u64(launch, &id) || !id))
        sink_refuse(s, line_of(n), "launch is `%.60s`: expected a whole number from 1", launch);
    sink_begin(s, line_of(n), name ? name : "", id);
    if (seconds) sink_counter(s, line_of(n), "seconds", NULL, seconds, NULL);
    read_stats(s, n);
    sink_end(s, line_of(n));
}

static void read_root(struct activity_sink *s, xmlNode *root) {
    if (!root || !is(root, "activity")) {
        sink_refuse(s, root ? line_of(root) : 1, "the document is a <%.60s>: expected <activity>",
                    root ? (const char *)root->name : "");
        return;
    }
    check_attributes(s, root, sink_facts, SINK_FACTS);
    if (!attribute(s, root, "format"))
        sink_refuse(s, line_of(root), "<activity> does not say its format: expected format=\"%d\"",
                    ACTIVITY_FORMAT);
    for (size_t i = 0; i < SINK_FACTS && s->status == WW_OK; i++) {
        const char *value = attribute(s, root, sink_facts[i]);
        if (value) sink_fact(s, line_of(root), sink_facts[i], value);
    }
    bool kernels = false;
    for (xmlNode *n = root->children; n; n = n->next)
        kernels = kernels || (n->type == XML_ELEMENT_NODE && is(n, "kernel"));
    if (!kernels) { // counters of the whole run, without kernels
        sink_begin(s, line_of(root), "", 1);
        if (s->out->seconds > 0) s->seconds = s->out->seconds, s->seconds_line = line_of(root);
        read_stats(s, root);
        sink_end(s, line_of(root));
        return;
    }
    for (xmlNode *n = root->children; n && s->status == WW_OK; n = n->next) {
        if (n->type == XML_COMMENT_NODE || xmlIsBlankNode(n)) continue;
        if (n->type == XML_ELEMENT_NODE && is(n, "kernel"))
            read_kernel(s, n);
        else
            sink_refuse(s, line_of(n),
                        "found something beside the kernels of <activity>: expected <kernel>");
    }
}

// The parser compares each attribute of an element with all before it, so a file of a megabyte
// could keep it busy for minutes; and a document type's own declarations are nothing that activity
// needs. Both are refused before it sees them.
enum { MAX_ATTRIBUTES = 32 };
static void look_over(struct activity_sink *s, size_t len) {
    uint32_t line = 1, attributes = 0;
    char quote = 0;
    bool in_tag = false;
    const char *const end = s->text + len;
    for (const char *p = s->text; p < end && s->status == WW_OK; p++) {
        if (*p == '\n') line++;
        if (quote) {
            if (*p == quote) quote = 0;
        } else if (in_tag) {
            if (*p == '"' || *p == '\'') quote = *p;
            if (*p == '>') in_tag = false;
            if (*p == '=' && ++attributes > MAX_ATTRIBUTES)
                sink_refuse(s, line, "an element with more than %d attributes", MAX_ATTRIBUTES);
        } else if (*p == '<') {
            static const char comment[] = "<!--", type[] = "<!DOCTYPE";
            if ((size_t)(end - p) > sizeof type && memcmp(p, type, sizeof type - 1) == 0) {
                sink_refuse(s, line, "a document type: activity files have none");
            } else if ((size_t)(end - p) > sizeof comment && memcmp(p, comment, 4) == 0) {
                const char *close = memmem(p + 4, (size_t)(end - p - 4), "-->", 3);
                for (; p < (close ? close : end - 1); p++) line += *p == '\n';
            } else {
                in_tag = true;
                attributes = 0;
            }
        }
    }
}

enum ww_status activity_xml(struct activity_sink *s, size_t len) {
    if (len > INT32_MAX) {
        sink_refuse(s, 1, "the file is larger than 2 GB");
        return s->status;
    }
    look_over(s, len);
    if (s->status != WW_OK) return s->status;
    xmlParserCtxtPtr ctxt = xmlNewParserCtxt();
    xmlDocPtr doc =
        ctxt ? xmlCtxtReadMemory(ctxt, s->text, (int)len, s->path, NULL,
                                 XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                     XML_PARSE_BIG_LINES | XML_PARSE_COMPACT)
             : NULL;
    if (!doc) {
        const xmlError *e = ctxt ? xmlCtxtGetLastError(ctxt) : NULL;
        char why[200];
        snprintf(why, sizeof why, "%s", e && e->message ? e->message : "out of memory");
        why[strcspn(why, "\n")] = 0;
        sink_refuse(s, e && e->line > 0 ? (uint32_t)e->line : 1, "this is no XML: %s", why);
    } else {
        read_root(s, xmlDocGetRootElement(doc));
    }
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(ctxt);
    return s->status;
}
