// The built page, served for a test.

import http from 'node:http';
import path from 'node:path';
import { listen, server } from '../../scripts/static-server.mjs';

export const DIST = path.resolve(import.meta.dirname, '../../dist');

/** Serves dist/, or another folder, on a free port. `url` ends in the path that `mount` names. */
export async function serve({ folder = DIST, mount = '/', headers } = {}) {
  return listening(server(folder, { mount, headers }), mount);
}

/** Serves one page of HTML on a port of its own: a site that embeds ours. */
export async function serveHost(html) {
  return listening(http.createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)), '/');
}

async function listening(site, mount) {
  const port = await listen(site, 0);
  site.unref(); // a test that fails before it closes its site must not hang
  return {
    url: `http://127.0.0.1:${port}${mount}`,
    close: () => new Promise((done) => { site.close(done); site.closeAllConnections(); }),
  };
}
