#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client {
  int fd;
  char name[32];
  char *greeting;
  struct client *next;
};

struct client *open_client(int fd, const char *name) {
  struct client *client = malloc(sizeof(struct client));
  if (client == NULL)
    return NULL;
  client->fd = fd;
  client->greeting = NULL;
  // vuln: buffer_overflow
  strcpy(client->name, name);
  return client;
}

struct client *open_checked(int fd, const char *name) {
  struct client *client = calloc(1, sizeof(struct client));
  if (client == NULL || strlen(name) >= sizeof(client->name)) {
    // safe: use_after_free
    free(client);
    return NULL;
  }
  client->fd = fd;
  // safe: buffer_overflow
  strcpy(client->name, name);
  return client;
}

int close_client(struct client *client) {
  close(client->fd);
  free(client);
  // vuln: use_after_free
  return client->fd;
}

void drop_all(struct client *first) {
  while (first != NULL) {
    struct client *next = first->next;
    // safe: use_after_free
    free(first);
    first = next;
  }
}

int greet(struct client *client, int loud) {
  char *text = malloc(64);
  if (text == NULL)
    return -1;
  snprintf(text, 64, "hello %s", client->name);
  if (!loud) {
    free(text);
  }
  if (loud)
    puts(text);
  return 0;
}

int greet_twice(struct client *client) {
  char *text = malloc(64);
  if (text == NULL)
    return -1;
  snprintf(text, 64, "hello %s", client->name);
  puts(text);
  free(text);
  // vuln: use_after_free
  puts(text);
  return 0;
}

int greet_again(struct client *client) {
  char *text = malloc(64);
  if (text == NULL)
    goto failed;
  snprintf(text, 64, "hello %s", client->name);
  puts(text);
failed:
  // safe: use_after_free
  free(text);
  text = NULL;
  return 0;
}

int double_free(int fd) {
  char *one = malloc(16), *two = malloc(16);
  close(fd);
  free(one);
  free(two);
  // vuln: use_after_free
  free(one);
  return 0;
}

char *describe(struct client *client) {
  char text[64];
  snprintf(text, sizeof(text), "%d %s", client->fd, client->name);
  // vuln: use_after_free
  return text;
}

char *describe_kept(struct client *client) {
  static char text[64];
  snprintf(text, sizeof(text), "%d %s", client->fd, client->name);
  // safe: use_after_free
  return text;
}

void wipe(char *secret, size_t length) {
  // vuln: buffer_overflow
  memset(secret, 0, sizeof(secret));
  // safe: buffer_overflow
  memset(secret, 0, length);
}

void rename_client(struct client *client, const char *name) {
  // vuln: buffer_overflow
  strncpy(client->name, name, strlen(name));
  // safe: buffer_overflow
  strncpy(client->name, name, sizeof(client->name) - 1);
}
