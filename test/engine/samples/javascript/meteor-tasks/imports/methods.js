import { check } from "meteor/check";
import { Meteor } from "meteor/meteor";
import { Tasks } from "./tasks";

Meteor.methods({
  "tasks.find"(owner) {
    // vuln: nosql_injection
    return Tasks.findOne({ owner });
  },
  "tasks.get"(id) {
    check(id, String);
    // safe: nosql_injection
    return Tasks.findOne({ _id: id });
  },
});
