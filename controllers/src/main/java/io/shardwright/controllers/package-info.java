/**
 * Who acts, and when: one package per kind, each in the same four parts. An observer reads and never writes; a planner is pure
 * and gives data with its reason; an executor takes one step that may be repeated; a status factory builds the status once.
 * Long work runs on threads of its own and rings the {@link io.shardwright.controllers.Bell} of its object; a pass takes
 * milliseconds. {@link io.shardwright.controllers.ControllerRoom} puts the room together.
 */
package io.shardwright.controllers;
