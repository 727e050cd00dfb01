// A bot for Ursuppe in JavaScript, for Node without any package (docs/protocol.md).
//
//     ursuppe bot check "node examples/bot.js"
//     ursuppe arena "process:node examples/bot.js" hunter random random --games 100
//
// It looks at the position: where there is much to eat it wants amoebas, and it buys what leaves it BP to divide.

const readline = require("node:readline");

const seats = new Map(); // of the bot, by game

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// How many cubes of other colours lie in a space, which the bot's amoebas could eat there.
function cubesFor(seat, space, position) {
  const cubes = position.food[space] ?? [];
  return cubes.reduce((sum, count, colour) => sum + (colour === seat ? 0 : count), 0);
}

function worth(action, seat, position) {
  const [verb, what] = action.split(" ");
  if (verb === "space") return 100 + cubesFor(seat, what, position);
  if (verb === "buy") return position.bp[seat] >= 8 ? 50 : 0;
  const wishes = { meal: 90, eat: 80, attack: 70, defense: 60, escape: 50, drift: 40, discard: 35, pay: 30, pass: 10 };
  return wishes[verb] ?? 15;
}

function choose({ game, legal, position }) {
  const seat = seats.get(game);
  const best = legal.reduce((one, other) =>
    worth(other, seat, position) > worth(one, seat, position) ? other : one
  );
  return { game, action: best };
}

const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  switch (message.type) {
    case "hello":
      say({ type: "ready", name: "Settler", version: "1", sees: ["position"] });
      break;
    case "game":
      seats.set(message.game, message.seat);
      break;
    case "decide":
      say({ type: "action", request: message.request, actions: message.decisions.map(choose) });
      break;
    case "over":
      seats.delete(message.game);
      break;
    case "bye":
      lines.close();
  }
});
