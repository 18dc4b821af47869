/** @file `node vectors_in_node.js KIND < VECTORS.json` prints what `run` in vectors.js found, as JSON. */

import { readFileSync } from "node:fs";

import { run } from "./vectors.js";

console.log(JSON.stringify(await run(process.argv[2], JSON.parse(readFileSync(0, "utf-8")))));
