/** Kubernetes objects as pure functions of values. */
package io.shardwright.controllers.resources;
