#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proto.h"

#define NAME_SIZE 32
#define LINE_SIZE 256
#define SLOTS 16

static char root[LINE_SIZE] = "/srv/share";
static int hits[SLOTS];

static void reply(int fd, const char *text) {
  char line[64];
  // vuln: buffer_overflow
  sprintf(line, "200 %s\n", text);
  send(fd, line, strlen(line), 0);
}

static void reply_bounded(int fd, const char *text) {
  char line[64];
  // safe: buffer_overflow
  snprintf(line, sizeof(line), "200 %s\n", text);
  send(fd, line, strlen(line), 0);
}

static void list_folder(int fd) {
  char folder[LINE_SIZE], command[LINE_SIZE];
  int got = recv(fd, folder, sizeof(folder) - 1, 0);
  if (got <= 0)
    return;
  folder[got] = '\0';
  snprintf(command, sizeof(command), "ls -l %s/%s", root, folder);
  // vuln: command_injection
  FILE *listing = popen(command, "r");
  // safe: command_injection
  FILE *disk = popen("df -h /srv/share", "r");
  pclose(listing);
  pclose(disk);
}

static void send_file(int fd) {
  char name[LINE_SIZE], path[2 * LINE_SIZE];
  recv(fd, name, sizeof(name) - 1, 0);
  snprintf(path, sizeof(path), "%s/%s", root, name);
  // vuln: path_traversal
  FILE *file = fopen(path, "rb");
  if (file)
    fclose(file);
}

static void send_checked(int fd) {
  char name[LINE_SIZE], path[2 * LINE_SIZE];
  recv(fd, name, sizeof(name) - 1, 0);
  if (strstr(name, "..") || strchr(name, '/'))
    return;
  snprintf(path, sizeof(path), "%s/%s", root, name);
  // safe: path_traversal
  FILE *file = fopen(path, "rb");
  if (file)
    fclose(file);
}

static void log_line(int fd) {
  char line[LINE_SIZE];
  recv(fd, line, sizeof(line) - 1, 0);
  // vuln: format_string
  fprintf(stderr, line);
  // safe: format_string
  fprintf(stderr, "%s", line);
}

static void count(int fd) {
  char line[16];
  recv(fd, line, sizeof(line) - 1, 0);
  int slot = atoi(line);
  // vuln: buffer_overflow
  hits[slot]++;
}

static void count_checked(int fd) {
  char line[16];
  recv(fd, line, sizeof(line) - 1, 0);
  int slot = atoi(line);
  if (slot < 0 || slot >= SLOTS)
    return;
  // safe: buffer_overflow
  hits[slot]++;
}

static void reset(void) {
  for (int i = 0; i < SLOTS; i++) {
    // safe: buffer_overflow
    hits[i] = 0;
  }
}

static void reset_all(void) {
  for (int i = 0; i <= SLOTS; i++) {
    // vuln: buffer_overflow
    hits[i] = 0;
  }
}

static void receive_too_much(int fd) {
  char header[8];
  // vuln: buffer_overflow
  recv(fd, header, 80, 0);
  // safe: buffer_overflow
  recv(fd, header, sizeof(header), 0);
}

int main(int argc, char **argv) {
  char banner[NAME_SIZE];
  if (argc < 2)
    return 1;
  // vuln: buffer_overflow
  strcpy(banner, argv[1]);
  if (strlen(argv[1]) >= sizeof(root))
    return 1;
  // safe: buffer_overflow
  strncpy(root, argv[1], sizeof(root) - 1);
  // safe: path_traversal
  FILE *settings = fopen(argv[1], "r");
  int port = argc > 2 ? atoi(argv[2]) : 7000;
  char kill[64];
  snprintf(kill, sizeof(kill), "fuser -k %d/tcp", port);
  // safe: command_injection
  system(kill);
  reset();
  reset_all();
  receive_too_much(port);
  count(port);
  count_checked(port);
  log_line(port);
  send_file(port);
  send_checked(port);
  list_folder(port);
  reply(port, banner);
  reply_bounded(port, banner);
  return settings == NULL;
}
