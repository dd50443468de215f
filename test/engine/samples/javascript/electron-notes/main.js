const { execFile, exec } = require("node:child_process");
const fs = require("node:fs");
const { BrowserWindow, ipcMain } = require("electron");

ipcMain.on("print", (event, file) => {
  // vuln: command_injection
  exec(`lpr ${file}`);
  // safe: command_injection
  execFile("lpr", ["--", file]);
});

ipcMain.handle("count", async (event, expression) => {
  // vuln: code_injection
  const result = eval(expression);
  // safe: code_injection
  const written = JSON.parse(expression);
  return { result, written };
});

// What a window may open is for people to choose.
// safe: path_traversal
ipcMain.handle("open", (event, file) => fs.readFileSync(file, "utf8"));

ipcMain.on("greet", (event, name) => {
  const [window] = BrowserWindow.getAllWindows();
  // vuln: code_injection
  window.webContents.executeJavaScript(`greet("${name}")`);
});
