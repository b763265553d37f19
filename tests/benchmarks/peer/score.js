// The peer's side of the scoring benchmark: reads results once, then runs one named piece of work for each line that
// comes in and answers with its own time. The peer's objects are made before the clock starts.
"use strict";
const readline = require("readline");
const fs = require("fs");
const scorer = require("bridge-scorer");

const STRAINS = ["C", "D", "H", "S", "NT"], RISKS = ["", "X", "XX"], SEATS = "NESW";
const data = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const rows = data.level.map((level, row) => ({
  contract: {
    level, denomination: STRAINS[data.strain[row]], risk: RISKS[data.doubling[row]], declaror: SEATS[data.declarer[row]],
  },
  vulnerable: ((data.vulnerability[row] >> (data.declarer[row] & 1)) & 1) === 1,
  tricks: data.tricks[row],
}));

function games() {
  const boards = [];
  for (let start = 0; start < rows.length; start += data.perBoard)
    boards.push(rows.slice(start, start + data.perBoard).map((row) => ({
      contract: row.contract, score: scorer.contractTricks(row.contract, row.vulnerable, row.tricks),
    })));
  return boards;
}

const WORK = {
  contractTricks: [() => rows, (each) => each.map((row) => scorer.contractTricks(row.contract, row.vulnerable, row.tricks)),
    (_, scores) => scores],
  matchpoints: [games, (boards) => boards.forEach((board) => scorer.matchpoints(board)),
    (boards) => boards.flat().map((game) => game.matchpointsNS.value)],
  butler: [games, (boards) => boards.forEach((board) => scorer.butler(board)),
    (boards) => boards.flat().map((game) => game.impsNS.value)],
  crossImps: [games, (boards) => boards.forEach((board) => scorer.crossImps(board)),
    (boards) => boards.flat().map((game) => game.impsNS.value)],
};

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const [name, wanted] = line.split(" "), [prepare, work, answers] = WORK[name];
  const input = prepare(), start = process.hrtime.bigint(), result = work(input);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  console.log(JSON.stringify({ seconds, answers: wanted ? answers(input, result) : [] }));
});
