// Starts the page and says plainly when that is not possible.
//
// On the page, #program names the files of the glue and the wasm. In player.html it holds the wasm itself (gzip, base64)
// and the inlined glue has left its initialiser in window.inlinedGlue.
(async () => {
  const program = document.getElementById('program');
  const inPlayer = document.body.hasAttribute('data-player');

  const say = (text, detail) => {
    const box = document.createElement('div');
    box.setAttribute('role', 'alert');
    box.style.cssText = 'max-width: 40rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5';
    const line = (tag, content) => box.appendChild(document.createElement(tag)).textContent = content;
    line('h1', 'Queue Playground');
    line('p', text);
    if (detail) line('small', `The browser says: ${detail}`);
    document.body.prepend(box);
  };

  const inlinedWasm = () => {
    const bytes = Uint8Array.from(atob(program.textContent.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream, { headers: { 'content-type': 'application/wasm' } });
  };

  if (typeof WebAssembly === 'undefined') {
    say('This browser has no WebAssembly, or it is switched off. The playground needs it: try another browser, or allow it for this page.');
    return;
  }
  if (!inPlayer && location.protocol === 'file:') {
    say('From a disk, open player.html, which lies beside this page: it is the same playground in one file. This page needs a web server.');
    return;
  }

  let missing = 'a script of the page';
  try {
    const address = (name) => new URL(name, document.baseURI).href;
    const init = inPlayer ? window.inlinedGlue : (await import(address(program.dataset.glue))).default;
    missing = 'the engine (a WebAssembly file)';
    await init({ module_or_path: inPlayer ? inlinedWasm() : address(program.dataset.wasm) });
  } catch (error) {
    say(`The playground could not start: ${missing} did not load or was not allowed to run. Load the page again; if that does not help, the file may be missing on the server, or a blocker or a security policy stands in its way.`, error);
    throw error;
  }

  // A trap leaves the page standing but deaf; without a word it would look like a page that ignores its buttons.
  let trapped = false;
  addEventListener('error', ({ error }) => {
    if (trapped || document.getElementById('stopped') || !(error instanceof WebAssembly.RuntimeError)) return;
    trapped = true;
    say('The playground has stopped because of a mistake in its own program. Load the page again to go on.', error);
  });
})();
