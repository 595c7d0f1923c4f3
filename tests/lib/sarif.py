#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sarif.py SCHEMA FILE: is FILE valid by SARIF's schema, and by rules that are only in the standard's text?"""

import json
import sys

import jsonschema

schema, log = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
jsonschema.validate(log, schema)
for run in log["runs"]:
	rules = run["tool"]["driver"]["rules"]
	assert len({rule["id"] for rule in rules}) == len(rules), "two rules have the same id"
	for result in run["results"]:
		assert rules[result["ruleIndex"]]["id"] == result["ruleId"], "a result of another rule"
		# 3.27.10: nothing but a failure has a level
		assert (result["kind"] == "fail") == (result["level"] != "none"), "level without failure"
