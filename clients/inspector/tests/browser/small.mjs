// Makes pictures of the page small: a PNG of many colours becomes one of a few, as documents carry them.
import { deflateSync, inflateSync } from "node:zlib";
import { chunk } from "../../../typescript/tests/browser/png.mjs";

const COLOURS = 24;

/** The pixels of a PNG as Chromium writes it: 8 bits a channel, not interlaced. */
function decoded(png) {
  const [width, height, type] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]];
  const channels = { 2: 3, 6: 4 }[type];
  const data = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(data));
  const row = width * channels;
  const pixels = Buffer.alloc(row * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; x += 1) {
      const left = x >= channels ? pixels[y * row + x - channels] : 0;
      const above = y > 0 ? pixels[(y - 1) * row + x] : 0;
      const corner = x >= channels && y > 0 ? pixels[(y - 1) * row + x - channels] : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      pixels[y * row + x] = (raw[y * (row + 1) + 1 + x] + guess) & 255;
    }
  }
  return { width, height, channels, pixels };
}

function paeth(left, above, corner) {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** The same picture with the colours that are most frequent in it, and every other one as the nearest of these. */
export function small(png) {
  const { width, height, channels, pixels } = decoded(png);
  const count = new Map();
  const colourAt = (index) => (pixels[index] << 16) | (pixels[index + 1] << 8) | pixels[index + 2];
  for (let index = 0; index < pixels.length; index += channels) count.set(colourAt(index), (count.get(colourAt(index)) ?? 0) + 1);
  const palette = [...count].sort((a, b) => b[1] - a[1]).slice(0, COLOURS).map(([colour]) => colour);
  const split = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const distance = (a, b) => split(a).reduce((sum, value, index) => sum + (value - split(b)[index]) ** 2, 0);
  const nearest = new Map([...count.keys()].map((colour) => [colour, palette.reduce((best, _, index) => (distance(colour, palette[index]) < distance(colour, palette[best]) ? index : best), 0)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = nearest.get(colourAt((y * width + x) * channels));
  const header = Buffer.from(png.subarray(16, 29));
  header[9] = 3;
  return Buffer.concat([png.subarray(0, 8), chunk("IHDR", header), chunk("PLTE", Buffer.from(palette.flatMap(split))), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
