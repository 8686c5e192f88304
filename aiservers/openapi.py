"""What the generated description of the API leaves out: language, errors and conditional requests."""

from aiservers.problems import MEDIA_TYPE, Problem

LANGUAGE = {
    "name": "language",
    "in": "query",
    "required": False,
    "description": "Language of texts; goes before `Accept-Language`. Never changes a number or an order.",
    "schema": {"type": "string", "enum": ["es", "ru", "en"]},
}
TEXTS = {
    304: "Not modified since the answer that `If-None-Match` names",
    400: "Not JSON",
    404: "Nothing at this address",
    413: "Body too large",
    415: "Body not sent as application/json",
    422: "Parameters or answers that cannot be used, one entry a key in `errors`",
    429: "Too many requests from this address; `Retry-After` says when to come back [s]",
}
POSTED = (400, 413, 415)


def documented(schema):
    """Return the description with what every operation shares."""
    schemas = schema["components"]["schemas"]
    described = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= described.pop("$defs")
    schemas["Problem"] = described
    schema["components"]["parameters"] = {"language": LANGUAGE}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            for parameter in operation["parameters"]:
                parameter.pop("examples", None)  # those of its schema; here they would have to be named
            is_read = method == "get"
            codes = [422, 429, *((404,) if "{" in path else ()), *(() if is_read else POSTED)]
            operation["responses"] |= {code: _error(code) for code in sorted(codes)}
            operation["parameters"].append({"$ref": "#/components/parameters/language"})
            if is_read:
                operation["parameters"].append(_header("If-None-Match", "ETag of the answer that you have."))
                operation["responses"][200]["headers"] = {"ETag": {"schema": {"type": "string"}}}
                operation["responses"][304] = {"description": TEXTS[304]}
    return schema


def _error(code):
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    error = {"description": TEXTS[code], "content": content}
    if code == 429:
        error["headers"] = {"Retry-After": {"schema": {"type": "integer"}}}
    return error


def _header(name, description):
    return {
        "name": name,
        "in": "header",
        "required": False,
        "description": description,
        "schema": {"type": "string"},
    }
