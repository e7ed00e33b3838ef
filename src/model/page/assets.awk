# assets.awk - makes build/page_assets.h of the scripts and the style of the pages of models (tlv_html).
#
#   awk -f assets.awk page.css page.js VIEW.js...
#
# A page has the shared script and that of one view, in one element: head, view, tail; the tail of
# page.js begins with start(.  Lines are joined by spaces, so that a page is one line; a source has one
# statement a line, comments on lines of their own, and nothing that COPY or HTML gives a meaning.

function refuse(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
	exit failed = 1
}

function begin_array(name) {
	printf "%sstatic const char *const %s[] = {\n", in_array ? "\tNULL};\n" : "", name
	in_array = 1
}

BEGIN {
	print "/* Made by src/model/page/assets.awk. */"
	print "#include <stddef.h>"
}

FNR == 1 {
	name = FILENAME
	gsub(/.*\/|\..*/, "", name)
	if (FILENAME ~ /\.js$/ && name != "page")
		views[++n] = name
	begin_array(FILENAME ~ /\.css$/ ? "page_style" : name == "page" ? "page_script_head" : "page_script_" name)
}

name == "page" && /^start\(/ && !tail { tail = 1; begin_array("page_script_tail") }

{ gsub(/^[ \t]+|[ \t]+$/, "") }
$0 == "" || /^\/\// || /^\/\*.*\*\/$/ { next }
/[^ -~]/ { refuse("a character that is not printable ASCII") }
/\\/ { refuse("a backslash") }
/<\// { refuse("\"</\"") }
/<!--/ { refuse("a comment of HTML") }
/innerHTML|outerHTML|insertAdjacent|document\.write/ { refuse("markup made of text") }
/(^|[^A-Za-z0-9_])eval([^A-Za-z0-9_]|$)|new Function/ { refuse("code made of text") }
/(^|[^A-Za-z0-9_])style=|"style"/ { refuse("a style attribute") }
{ address = $0; gsub(/https?:\/\/www\.w3\.org\/2000\/svg/, "", address) }
address ~ /https?:/ { refuse("an address") }
/ \/\// { refuse("a comment behind code") }
{ gsub(/"/, "\\\""); printf "\t\"%s \",\n", $0 }

END {
	if (failed)
		exit 1
	if (!tail) {
		print "page.js: no line begins with start(" > "/dev/stderr"
		exit 1
	}
	print "\tNULL};\nstatic const struct\n{\n\tconst char *view;\n\tconst char *const *lines;\n} page_scripts[] = {"
	for (i = 1; i <= n; i++)
		printf "\t{\"%s\", page_script_%s},\n", views[i], views[i]
	print "};"
}
