# expand.awk - what repeats in the parts of sql/, which the Makefile puts together.
#
# Every CREATE TYPE NAME; is followed by what is the same for all types, type.sql.in.  And an
# aggregate of rows of any type is followed by NAME_typed of the types that the last line
#     -- typed: TYPE[, TYPE ...] | TYPE[, TYPE ...] | ...
#     -- and:   TYPE[, TYPE ...] | ...
# of the part lists: servers that take aggregates apart, as Citus does, compare the declared types,
# and "any" beside concrete types under one name would make ordinary calls ambiguous.

function replace_any(text, types,    n, list, i) {
	n = split(types, list, /, */)
	for (i = 1; i <= n; i++)
		sub(/"any"/, list[i], text)
	return text
}

# A complete statement about a function or an aggregate of "any", once for every list of types.  The
# support functions are the same functions of the library.
function print_typed(statement,    i, copy, name) {
	sub("AS 'MODULE_PATHNAME' LANGUAGE", "AS 'MODULE_PATHNAME', '" called "' LANGUAGE", statement)
	if (statement ~ /^COMMENT ON AGGREGATE/)
		sub(/ IS[ \n].*/, " IS\n    '" called " of rows of that type, which it declares: for servers that compare declared types, as Citus does';\n", statement)
	typed_name[called] = 1
	for (name in typed_name) {
		gsub(" " name "\\(", " " name "_typed(", statement)
		gsub(" " name ",", " " name "_typed,", statement)
	}
	for (i = 1; i <= lists; i++)
		printf "%s", replace_any(statement, typed[i])
}

{ print }

/^CREATE TYPE [a-z_]+;$/ {
	type = substr($3, 1, length($3) - 1)
	while ((getline line < "sql/type.sql.in") > 0)
		if (line !~ /^--/) {
			gsub("@type@", type, line)
			print line
		}
	close("sql/type.sql.in")
}

/^-- typed: / {
	line = $0
	sub(/^-- typed: */, "", line)
	sub(/ *\|$/, "", line)
	lists = split(line, typed, / *\| */)
}
/^-- and: / {
	line = $0
	sub(/^-- and: */, "", line)
	more = split(line, added, / *\| */)
	for (i = 1; i <= more; i++)
		typed[++lists] = added[i]
}
/^(CREATE|COMMENT ON) (FUNCTION|AGGREGATE) tlv_[a-z_]+\(.*"any"/ && lists > 0 {
	of_any = 1
	called = $0
	sub(/^[A-Z ]+ /, "", called)
	sub(/\(.*/, "", called)
}
of_any { statement = statement $0 "\n" }
of_any && /;$/ {
	print_typed(statement)
	statement = ""
	of_any = 0
}

# Clients send parameters without a type, which "any" has none for: every function of a model and a
# row of any type takes a text, too.  And a "char", which is no row: it could be either.
/^CREATE FUNCTION tlv_[a-z_]+\(model tlv_model, x "any"[,)]/ { of_row = 1 }
/^COMMENT ON FUNCTION tlv_[a-z_]+\(tlv_model, "any"[,)]/ && !/"any", "any"/ { of_row = 1 }
of_row { row_statement = row_statement $0 "\n" }
of_row && /;$/ {
	text_statement = char_statement = row_statement
	sub(/"any"/, "text", text_statement)
	sub(/"any"/, "\"char\"", char_statement)
	if (row_statement ~ /^COMMENT/) {
		sub(/ IS[ \n].*/, " IS\n    'the same of a row in its text form, as clients send a parameter without a type';\n", text_statement)
		sub(/ IS[ \n].*/, " IS\n    'refuses a \"char\", which is not a row';\n", char_statement)
	}
	printf "%s%s", text_statement, char_statement
	row_statement = ""
	of_row = 0
}
