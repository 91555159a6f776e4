// Plays a match of 6 nimmt! against three house bots and shows each trick: node match.mjs [http://127.0.0.1:8080]
const api = `${process.argv[2] ?? "http://127.0.0.1:8080"}/v1`;
let token = "";

async function call(path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) };
  for (let pause = 250; ; pause = Math.min(2 * pause, 8_000)) {
    const response = await fetch(api + path, request).catch(() => undefined);
    if (response?.ok || response?.status === 409) return response.json(); // 409: the window has closed, look again
    if (response && ![429, 503, 504].includes(response.status)) throw new Error(await response.text());
    await new Promise((done) => setTimeout(done, pause));
  }
}

({ token } = await call("/players", { displayName: "Ann" }));
const bots = [{ level: "careful" }, { level: "careful" }, { level: "random" }];
const table = { requestId: crypto.randomUUID(), game: "six_nimmt", seats: 4, preset: "single_deal", bots };
const match = await call("/matches", table);
const here = `/matches/${match.id}`;
const name = ({ seat }) => match.seats[seat].displayName;
const show = {
  revealed: (told) => console.log(`Trick ${told.trick}: ${told.plays.map((play) => `${name(play)} ${play.card}`).join(", ")}`),
  placed: (told) => console.log(`  ${told.card} goes to row ${told.row + 1}`),
  row_taken: (told) => console.log(`  ${name(told)} takes row ${told.row + 1}: ${told.taken.join(" ")}, ${told.bulls} bulls`),
  deal_scored: (told) => console.log(`Bulls: ${told.bulls.map((bulls, seat) => `${name({ seat })} ${bulls}`).join(", ")}`),
};

for (let after = 0, over = false; !over; ) {
  const { events, next, you } = await call(`${here}/events?after=${after}&wait=20s`);
  after = next;
  for (const { type, sixNimmt } of events) {
    const what = type.split(".")[1];
    show[what]?.(Object.values(sixNimmt ?? {})[0]);
    over ||= type === "match.over";
  }
  const { must = [], choices = [] } = you.window ?? {};
  const choice = Math.floor(Math.random() * choices.length);
  if (must.includes(you.seat)) await call(`${here}:act`, { requestId: crypto.randomUUID(), window: you.window.id, choice });
}
