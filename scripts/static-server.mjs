// Serves a folder of files on 127.0.0.1.
//
//   node scripts/static-server.mjs FOLDER [PORT]     the first free port from PORT on (8080); prints the address

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const types = {
  '.css': 'text/css', '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.json': 'application/json',
  '.png': 'image/png', '.svg': 'image/svg+xml', '.ts': 'text/plain; charset=utf-8', '.wasm': 'application/wasm',
};

/** A server, not yet listening, for the files of `folder` under the path `mount`, with `headers` on every answer. */
export function server(folder, { mount = '/', headers = {} } = {}) {
  const root = path.resolve(folder);
  const answer = (response, status, type, body) =>
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-cache', ...headers }).end(body);
  const missing = (response) => answer(response, 404, 'text/plain', 'Not found\n');
  return http.createServer((request, response) => {
    let name;
    try {
      name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    } catch {
      return missing(response);
    }
    if (!name.startsWith(mount) || name.includes('\0')) return missing(response);
    let file = path.join(root, name.slice(mount.length));
    if (name.endsWith('/')) file = path.join(file, 'index.html');
    if (!file.startsWith(root + path.sep)) return missing(response);
    fs.readFile(file, (error, body) => error
      ? missing(response)
      : answer(response, 200, types[path.extname(file)] ?? 'application/octet-stream', body));
  });
}

/** Listens on the first free port from `port` on and resolves to it; 0 is any free port. */
export function listen(server, port, last = port + 100) {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => error.code === 'EADDRINUSE' && port > 0 && port < last
      ? resolve(listen(server, port + 1, last))
      : reject(error));
    server.listen(port, '127.0.0.1', () => resolve(server.address().port));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const wanted = Number(process.argv[3] ?? 8080);
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65535) {
    console.error(`"${process.argv[3]}" is not a port; use a number from 1 to 65535.`);
    process.exit(1);
  }
  try {
    const port = await listen(server(process.argv[2]), wanted);
    if (wanted && port !== wanted) console.log(`Port ${wanted} is taken.`);
    console.log(`Open http://127.0.0.1:${port}/ in a browser. Ctrl-C ends the server.`);
  } catch (error) {
    console.error(`No port could be opened on 127.0.0.1: ${error.message}.`);
    process.exit(1);
  }
}
